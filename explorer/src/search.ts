// Search: functions, blocks, registers, instructions, passes.
import type {App} from './app';
import {code} from './code';
import {el} from './dom';

interface Hit {
  kind: string;
  text: string;
  go: () => void;
  block?: number
}

function hits(app: App, words: string): Hit[] {
  const found: Hit[] = [], wanted = words.toLowerCase(), snap = app.snap;
  const has = (text: string) => text.toLowerCase().includes(wanted);
  app.model.functions.forEach((f, i) => {
    if (has('$' + f.name)) found.push({kind: 'function', text: '$' + f.name, go: () => app.set({func: i})});
  });
  for (const id of snap.data.order) {
    const block = snap.blocks.get(id)!;
    if (has(block.name) && block.rows.length)
      found.push({kind: 'block', text: block.name, go: () => app.selectInst(block.rows[0])});
  }
  for (const value of snap.values.values()) {
    if (!has(value.name)) continue;
    const inst = value.definitions[0] ?? value.uses[0] ?? null;
    found.push({
      kind: value.parameter ? 'parameter' : 'value',
      text: value.name,
      go: () => app.selectValue(value.id, inst, inst === null ? null : snap.blockOf.get(inst) ?? null)
    });
  }
  app.func.data.steps.forEach((step, i) => {
    if (has(step.pass)) found.push({kind: `step ${i}`, text: step.pass, go: () => app.set({step: i})});
  });
  for (const row of snap.rows) {
    if (found.length > 400) break;
    const text = snap.insts.get(row)!.text;
    if (has(text))
      found.push({
        kind: `line ${snap.number.get(row)}`,
        text,
        go: () => app.selectInst(row),
        block: snap.blockOf.get(row)
      });
  }
  return found;
}

export function searchBox(app: App): void {
  let list: Hit[] = [], at = 0;
  const results = el('div', {class: 'hits', role: 'listbox', id: 'hits', 'aria-label': 'Found'});
  const input = el('input', {
    class: 'wide',
    type: 'text',
    'aria-label': 'Search',
    role: 'combobox',
    'aria-expanded': 'true',
    'aria-controls': 'hits',
    placeholder: 'function, block, register, instruction, pass'
  });
  const draw = () => {
    results.replaceChildren(...list.slice(0, 60).map(
        (hit, i) =>
            el('div', {
              class: 'hit',
              role: 'option',
              id: `hit${i}`,
              'aria-selected': i === at ? 'true' : 'false',
              on: {click: () => go(hit)}
            },
               el('span', {class: 'kind'}, hit.kind),
               code(hit.text, {snap: app.snap, block: hit.block, plain: true, limit: 90}))));
    if (!list.length)
      results.replaceChildren(
          el('div', {class: 'note'}, input.value ? 'Nothing of that name at this step.' : ''));
    input.setAttribute('aria-activedescendant', list.length ? `hit${at}` : '');
    results.children[at]?.scrollIntoView({block: 'nearest'});
  };
  const box = app.dialog('Search', input, results);
  const go = (hit: Hit|undefined) => {
    box.close();
    hit?.go();
  };
  input.addEventListener('input', () => {
    list = input.value.trim() ? hits(app, input.value.trim()) : [];
    at = 0;
    draw();
  });
  input.addEventListener('keydown', event => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      at = Math.max(0, Math.min(Math.min(60, list.length) - 1, at + (event.key === 'ArrowDown' ? 1 : -1)));
      draw();
      event.preventDefault();
    } else if (event.key === 'Enter') {
      go(list[at]);
      event.preventDefault();
    }
  });
  input.focus();
}
