// 1 Flow: text, graph, predicates and the selected value.
import type {App, View} from '../app';
import {el, kbd, plural} from '../dom';
import {GraphCanvas} from '../graph_canvas';
import {Inspector} from '../inspector';
import {sideOpen, textOpen} from '../keys';
import {difference} from '../model';
import {TextPane} from '../text_pane';

export const rail = (key: string, title: string, end: boolean, open: () => void) =>
    el('button', {
      type: 'button',
      class: 'rail-pane' + (end ? ' end' : ''),
      'data-k': `rail-${key}`,
      title: `Show: ${title}`,
      on: {click: open}
    },
       kbd(key), el('span', {}, title));

export class FlowView implements View {
  private left: GraphCanvas|null = null;
  private main: GraphCanvas|null = null;
  private text: TextPane|null = null;
  private side: Inspector|null = null;
  private box: HTMLElement|null = null;
  private func = -1;
  private data: unknown = null;

  draw(app: App, box: HTMLElement): void {
    this.text ??= new TextPane(app);
    this.side ??= new Inspector(app);
    this.main ??= new GraphCanvas(app, 'Graph');
    this.left ??= new GraphCanvas(app, 'Graph before');
    if (this.data !== app.model.data) {
      this.data = app.model.data;
      this.side.forget();
    }
    const {state} = app;
    if (this.func !== state.func) {
      this.main.reset();
      this.left.reset();
      this.func = state.func;
    }
    const text = textOpen(app), side = sideOpen(app), narrow = innerWidth < 1400;
    const sourceWidth = app.model.data.source.language === 'c' ? 406 : 372;
    const textWidth = text ? narrow ? '34px' : `${sourceWidth}px` : '34px',
          sideWidth = side ? narrow ? '352px' : '382px' : '34px';
    const kids: HTMLElement[] =
        [text && !narrow ? this.text.box : rail('x', 'Text', false, () => app.set({text: true}))];
    if (state.compare) kids.push(this.left.box);
    kids.push(
        this.main.box,
        side ? this.side.box : rail('i', 'Predicates, value', true, () => app.set({side: true})));
    this.text.box.classList.toggle('over-view', text && narrow);
    if (text && narrow) kids.push(this.text.box);
    this.box ??= el('div', {class: 'work'});
    const single = innerWidth < 1000;
    this.box.classList.toggle('single', single);
    this.box.style.gridTemplateColumns = single ?
        '34px minmax(0,1fr) 34px' :
        `${textWidth} minmax(0,1fr) ${state.compare ? 'minmax(0,1fr) ' : ''}${sideWidth}`;
    if (single && side) {
      kids[kids.indexOf(this.side.box)] = rail('i', 'Predicates, value', true, () => app.set({side: false}));
      this.side.box.classList.add('over-view');
      kids.push(this.side.box);
    } else
      this.side.box.classList.remove('over-view');
    if (kids.length !== this.box.children.length || kids.some((kid, i) => this.box!.children[i] !== kid))
      this.box.replaceChildren(...kids);
    if (box.firstChild !== this.box) box.replaceChildren(this.box);

    const snap = app.snap, step = app.func.data.steps[app.step];
    const size = (s: typeof snap) =>
        `${plural(s.data.order.length, 'block')}, ${plural(s.rows.length, 'instruction')}`;
    const known = {
      counts: 'measured',
      'edge counts': 'measured on edges',
      estimated: 'frequencies estimated'
    }[snap.data.frequencies];
    const base = app.base;
    if (state.compare) {
      const before = app.func.at(base);
      this.left.show(
          {snap: before, difference: null, stepKey: `${state.func}`},
          base === 0 ? 'input' : `after ${app.func.data.steps[base].pass}`, size(before));
    }
    const changed = app.step > 0 || state.compare;
    this.main.show(
        {
          snap,
          difference: changed ? state.compare ? difference(app.func, base, app.step) : app.difference : null,
          stepKey: `${state.func}`
        },
        app.step === 0 ? 'input' : `after ${step.pass}`, `${size(snap)} · ${known}`);
    if (text) this.text.draw();
    if (side) this.side.draw();
    this.ahead(app);
  }

  // The layouts of the neighbours, when there is time.
  private ahead(app: App): void {
    const steps = app.func.data.steps;
    if (app.snap.rows.length < 300 || !('requestIdleCallback' in window)) return;
    const next = [app.step + 1, app.step - 1].filter(i => i >= 0 && i < steps.length && steps[i].changed);
    requestIdleCallback(() => {
      for (const i of next) {
        const snap = app.func.at(i);
        app.layouts.get(
            `${app.state.func}.${snap.index}.${i > 0 ? 1 : 0}`, snap, i > 0, null, () => undefined);
      }
    }, {timeout: 400});
  }

  key(_app: App, event: KeyboardEvent): boolean {
    const canvas = this.main!;
    if (event.key === 'f')
      canvas.fit();
    else if (event.key === '+' || event.key === '=')
      canvas.zoomBy(1.25);
    else if (event.key === '-' || event.key === '−')
      canvas.zoomBy(0.8);
    else
      return false;
    return true;
  }
}
