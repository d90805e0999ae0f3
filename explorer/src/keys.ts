// The keys. None works while typing; none needs a modifier but Shift.
import type {App} from './app';
import {searchBox} from './search';
import {VIEWS} from './state';

export const KEYS: readonly(readonly string[])[] = [
  ['previous, next step', '←', '→'],
  ['previous, next step that changed', 'Shift ←', 'Shift →'],
  ['compare with the step before', 'c'],
  ['views', '1', '…', '6'],
  ['previous, next instruction', '↑', '↓'],
  ['previous, next block', '[', ']'],
  ['next value of the instruction', 'Enter'],
  ['definition', 'd'],
  ['next, previous use', 'u', 'Shift U'],
  ['pin the block', 'p'],
  ['fit, zoom', 'f', '+', '−'],
  ['show or hide the text', 'x'],
  ['show or hide the details', 'i'],
  ['lanes, partition graph', 'g'],
  ['blind to predicates', 'b'],
  ['dependences of all', 'e'],
  ['charts as tables', 'a'],
  ['search', '/'],
  ['copy a link to this', 'y'],
  ['step inside an algorithm', ',', '.'],
  ['play it', 'Space'],
  ['dark, light', 't'],
  ['keys', '?'],
  ['close, clear the selection', 'Esc'],
];

export const textOpen = (app: App) => app.state.text ?? (innerWidth >= 1400 && !app.state.compare);
export const sideOpen = (app: App) => app.state.side ?? innerWidth >= 1150;

export function handleKey(app: App, event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  if (!app.model || event.ctrlKey || event.altKey || event.metaKey) return false;
  if (target.closest?.('input, textarea, select, [contenteditable="true"], dialog')) return false;
  const view = app.views.get(app.state.view);
  if (view?.key?.(app, event)) return true;
  const {state} = app;
  if (/^[1-6]$/.test(event.key)) {
    const id = VIEWS[Number(event.key) - 1][0];
    if (!app.views.has(id)) return false;
    app.set({view: id});
    return true;
  }
  if (event.key === 't') {
    app.toggleTheme();
    return true;
  }
  if (event.key === '?') {
    app.help();
    return true;
  }
  if (event.key === '/') {
    searchBox(app);
    return true;
  }
  if (event.key === 'y') {
    void app.copyLink();
    return true;
  }
  if (!app.model.functions.length || view?.noStrip && !['x', 'i'].includes(event.key)) return false;
  const steps = app.func.data.steps;
  switch (event.key) {
    case 'ArrowRight':
    case 'ArrowLeft': {
      const way = event.key === 'ArrowRight' ? 1 : -1;
      let to = app.step + way;
      if (event.shiftKey)
        while (to > 0 && to < steps.length && !steps[to].changed) to += way;
      if (to >= 0 && to < steps.length) app.set({step: to});
      return true;
    }
    case 'Home':
      app.set({step: 0});
      return true;
    case 'End':
      app.set({step: steps.length - 1});
      return true;
    case 'c':
      app.set({compare: !state.compare});
      return true;
    case 'ArrowDown':
    case 'ArrowUp': {
      const rows = app.snap.rows;
      if (!rows.length) return true;
      const at = state.inst === null ? -1 : rows.indexOf(state.inst);
      const to = at < 0 ? event.key === 'ArrowDown' ? 0 : rows.length - 1 :
                          Math.max(0, Math.min(rows.length - 1, at + (event.key === 'ArrowDown' ? 1 : -1)));
      app.selectInst(rows[to]);
      sayInst(app);
      return true;
    }
    case '[':
    case ']': {
      const order = app.snap.data.order.filter(b => app.snap.blocks.get(b)!.rows.length);
      const block = state.inst === null ? undefined : app.snap.blockOf.get(state.inst);
      const at = block === undefined ? -1 : order.indexOf(block);
      const to = order[Math.max(0, Math.min(order.length - 1, at + (event.key === ']' ? 1 : -1)))];
      if (to !== undefined) app.selectInst(app.snap.blocks.get(to)!.rows[0]);
      sayInst(app);
      return true;
    }
    case 'Enter': {
      const inst = state.inst === null ? undefined : app.snap.insts.get(state.inst);
      if (!inst || target.closest('button, [role="button"], [role="slider"], a')) return false;
      const values = [...new Set([
        ...inst.writes.map(w => w[0]), ...(inst.guard ? [inst.guard[0]] : []), ...inst.reads.map(r => r[0])
      ])];
      if (!values.length) return true;
      const next = values[(values.indexOf(state.value ?? -1) + 1) % values.length];
      app.selectValue(next, inst.id, app.snap.blockOf.get(inst.id) ?? null);
      app.say(app.snap.values.get(next)?.name ?? '');
      return true;
    }
    case 'd': {
      const value = state.value === null ? undefined : app.snap.values.get(state.value);
      if (value?.definitions.length) {
        app.set({inst: value.definitions[0]});
        sayInst(app);
      }
      return true;
    }
    case 'u':
    case 'U': {
      const value = state.value === null ? undefined : app.snap.values.get(state.value);
      if (!value?.uses.length) return true;
      const way = event.shiftKey ? -1 : 1, n = value.uses.length, at = value.uses.indexOf(state.inst ?? -1);
      app.set({inst: value.uses[at < 0 ? way > 0 ? 0 : n - 1 : (at + way + n) % n]});
      sayInst(app);
      return true;
    }
    case 'p': {
      const block = state.inst === null ? null : app.snap.blockOf.get(state.inst) ?? null;
      app.set({pin: state.pin !== null && (block === null || state.pin === block) ? null : block});
      app.toast(
          app.state.pin === null ? 'No block is pinned' :
                                   `Pinned: ${app.snap.blocks.get(app.state.pin)?.name}`);
      return true;
    }
    case 'x':
      app.set({text: !textOpen(app)});
      return true;
    case 'i':
      app.set({side: !sideOpen(app)});
      return true;
    case 'g':
      app.set({graph: !state.graph});
      return true;
    case 'b':
      app.set({blind: !state.blind});
      return true;
    case 'e':
      app.set({dependences: !state.dependences});
      return true;
    case 'a':
      app.set({table: !state.table});
      return true;
    case 'Escape':
      app.set({inst: null, value: null, sets: []});
      return true;
    default:
      return false;
  }
}

function sayInst(app: App): void {
  const {inst} = app.state;
  if (inst === null) return;
  const block = app.snap.blocks.get(app.snap.blockOf.get(inst) ?? -1);
  app.say(`${app.snap.number.get(inst)}: ${app.snap.insts.get(inst)?.text ?? ''}, ${block?.name ?? ''}`);
}
