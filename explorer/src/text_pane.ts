// Text: IR with what is new and gone, source, assembly; remarks below.
import type {App} from './app';
import {code} from './code';
import type {Remark} from './data';
import {el, kbd, RowList, type Kid} from './dom';
import {textLines} from './model';
import {failureWords} from './strip';

export class TextPane {
  readonly box = el('section', {class: 'pane text-pane', 'aria-label': 'Text'});
  private readonly list =
      new RowList(19, {class: 'txt', tabindex: 0, 'aria-label': 'Lines', role: 'region', 'data-k': 'text'});
  private readonly head = el('div', {class: 'head'});
  private readonly remarks = el('div', {class: 'remarks'});
  private key = '';

  constructor(private readonly app: App) {
    this.box.append(this.head, this.list.box, this.remarks);
    this.list.box.addEventListener('click', event => app.click(event));
    this.remarks.addEventListener('click', event => app.click(event));
  }

  draw(): void {
    const {app} = this, {state, snap} = app, data = app.model.data;
    const tabs: [typeof state.tab, string][] = [['ir', 'IR']];
    if (data.source.text) tabs.push(['source', data.source.language === 'c' ? data.file : 'Source']);
    if (snap.data.assembly?.length || data.assembly?.length) tabs.push(['assembly', 'Assembly']);
    const tab = tabs.some(([id]) => id === state.tab) ? state.tab : 'ir';
    this.head.replaceChildren(
        ...tabs.map(
            ([id, title]) =>
                el('button', {
                  type: 'button',
                  class: 'tablet',
                  'aria-current': id === tab ? 'true' : undefined,
                  'data-k': `text-${id}`,
                  on: {click: () => app.set({tab: id})}
                },
                   title)),
        el('span', {class: 'end'},
           el('button',
              {
                type: 'button',
                class: 'key-button',
                'aria-label': 'x: fold the text',
                'data-k': 'fold-text',
                on: {click: () => app.set({text: false})}
              },
              kbd('x'))));
    if (tab === 'source')
      this.source();
    else if (tab === 'assembly')
      this.assembly();
    else
      this.ir();
    this.drawRemarks();
  }

  private show(key: string, count: number, row: (i: number) => HTMLElement, at: number): void {
    this.list.show(count, row);
    const place = `${key}.${at}`;
    if (at >= 0 && place !== this.key) this.list.reveal(at);
    this.key = place;
  }
  private row(no: Kid, sign: Kid, body: Kid, cls: string, inst?: number): HTMLElement {
    return el(
        'div', {class: 'ln' + cls, 'data-i': inst}, el('span', {class: 'no'}, no),
        el('span', {class: 'sg'}, sign), body);
  }

  private ir(): void {
    const {app} = this, {state, snap} = app, difference = app.difference;
    const lines = textLines(
        snap,
        app.step > 0 || state.compare ? app.func.at(state.compare ? app.base : Math.max(0, app.step - 1)) :
                                        null,
        difference.removed);
    const at = lines.findIndex(line => line.kind === 'inst' && line.inst === state.inst);
    this.show(`ir${app.step}`, lines.length, i => {
      const line = lines[i];
      const added = line.kind === 'inst' && difference.added.has(line.inst!),
            fresh = line.inst !== undefined ? difference.tokens.get(line.inst) : undefined;
      const body = code(
          line.text,
          line.kind === 'gone' ? {plain: true} :
                                 {snap, block: line.block, inst: line.inst, value: state.value, fresh});
      return this.row(
          line.kind === 'inst' ? snap.number.get(line.inst!) : '',
          added                    ? '+' :
              line.kind === 'gone' ? '−' :
              fresh                ? '~' :
                                     '',
          body,
          (added                    ? ' new' :
               line.kind === 'gone' ? ' gone' :
                                      '') +
              (i === at ? ' here' : ''),
          line.kind === 'inst' ? line.inst : undefined);
    }, at);
  }

  private source(): void {
    const {app} = this, lines = app.model.data.source.text.replace(/\n$/, '').split('\n');
    const ofLine = new Map<number, number>();
    for (const row of app.snap.rows) {
      const line = app.snap.insts.get(row)!.source;
      if (line && !ofLine.has(line)) ofLine.set(line, row);
    }
    const here = new Set<number>();
    const {state, snap} = app;
    if (state.inst !== null && snap.insts.get(state.inst)?.source)
      here.add(snap.insts.get(state.inst)!.source!);
    const at = here.size ? Math.min(...here) - 1 : -1;
    const psi = app.model.data.source.language === 'psi';
    this.show(
        `source${app.state.func}`, lines.length,
        i => this.row(
            i + 1, '', psi ? code(lines[i], {plain: true}) : el('span', {class: 'code'}, lines[i]),
            here.has(i + 1) ? ' here' : '', ofLine.get(i + 1)),
        at);
  }

  private assembly(): void {
    const {state, snap} = this.app, whole = this.app.model.data.assembly;
    if (!snap.data.assembly?.length && whole) {
      // Of the file: found by the line of the source.
      const line = state.inst === null ? null : snap.insts.get(state.inst)?.source ?? null;
      const ofLine = new Map<number, number>();
      for (const row of snap.rows) {
        const source = snap.insts.get(row)!.source;
        if (source && !ofLine.has(source)) ofLine.set(source, row);
      }
      this.show(
          'asm', whole.length,
          i => this.row(
              i + 1, whole[i].source ?? '', el('span', {class: 'code'}, whole[i].text),
              line !== null && whole[i].source === line ? ' here' : '',
              whole[i].source === null ? undefined : ofLine.get(whole[i].source!)),
          line === null ? -1 : whole.findIndex(l => l.source === line));
      return;
    }
    const list = snap.data.assembly!;
    const at = list.findIndex(line => line.id !== null && line.id === state.inst);
    this.show(`asm${this.app.step}`, list.length, i => {
      const line = list[i];
      return this.row(
          i + 1, '', el('span', {class: 'code'}, line.text),
          (line.id !== null && line.id === state.inst ? ' here' : '') +
              (line.packet !== undefined && line.packet % 2 ? ' odd' : ''),
          line.id ?? undefined);
    }, at);
  }

  private drawRemarks(): void {
    const {app} = this;
    // Those of the step, and of the steps before that the selected instruction had.
    const found: {remark: Remark; pass: string; step: number}[] = [];
    app.func.data.steps.forEach((step, i) => {
      if (i > app.step) return;
      for (const remark of step.remarks)
        if (i === app.step || app.state.inst !== null && remark.id === app.state.inst)
          found.push({remark, pass: step.pass, step: i});
    });
    const {failure} = app.func.data;
    const failed = failure && app.step === app.func.data.steps.length - 1 ? failure : null;
    this.remarks.hidden = !found.length && !failed;
    this.remarks.replaceChildren(
        el('div', {class: 'head'}, 'Remarks', el('span', {class: 'sub'}, found.length)),
        el('div', {class: 'remark-list', tabindex: 0, role: 'region', 'aria-label': 'Remarks'},
           failed ? el('div', {class: 'remark'}, el('b', {class: 'bad-words'}, failed.pass), ' ',
                       failureWords(failed.message)) :
                    '',
           found.slice(0, 200).map(
               ({remark, pass, step}) => el(
                   'div', {
                     class: 'remark' + (remark.id !== null && remark.id === app.state.inst ? ' here' : ''),
                     'data-i': remark.id ?? undefined
                   },
                   el('b', {}, pass), step === app.step ? '' : el('span', {class: 'mute'}, ` step ${step}`),
                   ' ', remark.kind === 'refused' ? el('span', {class: 'refused'}, 'not: ') : '',
                   remark.subject ? el('code', {}, remark.subject) : '', remark.subject ? ': ' : '',
                   remark.message))));
  }
}
