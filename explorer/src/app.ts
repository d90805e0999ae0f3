// The frame of the page: top bar, strip of passes, the view, keys, search, links.
import type {BlockId, Explored, InstId, ValueId} from './data';
import {el, kbd, type Kid} from './dom';
import {handleKey, KEYS} from './keys';
import {patterns} from './lanes';
import {Layouts} from './layouts';
import {difference, FuncModel, Model, sameSet, type Difference, type Snap} from './model';
import {searchBox} from './search';
import {fromHash, START, toHash, VIEWS, type State, type ViewId} from './state';
import {passStrip, stepWords} from './strip';

export interface View {
  // Draws the view into an element that is empty, or holds what it drew before.
  draw(app: App, box: HTMLElement): void;
  // True if the key was its own.
  key?(app: App, event: KeyboardEvent): boolean;
  hide?(): void;
  noStrip?: boolean;
}

// Answers that need the library: psic in the page, or a server.
export interface Question {
  function: string;
  step: number;
  block: string;
  question: string
}
export interface Answer {
  answer?: 'yes'|'no'|'not known';
  engine?: string;
  steps?: {statement: string; reason: string; from: number[]}[];
  witness?: string;  // values that refute
  error?: string;
  messages?: string;
}
export interface Engine {
  query(question: Question): Promise<Answer>
}

export class App {
  model!: Model;
  state: State = {...START};
  engine: Engine|null = null;
  readonly layouts = new Layouts();
  readonly views = new Map<ViewId, View>();
  readonly bar = el('header', {class: 'bar'});
  readonly stripBox = el('div', {class: 'strip-box'});
  readonly main = el('main', {class: 'work-box', tabindex: -1});
  private readonly live = el('div', {class: 'sr', 'aria-live': 'polite'});
  private readonly tip = el('div', {class: 'toast', hidden: true, role: 'status'});
  private shown: ViewId|null = null;
  private changes: {key: string; value: Difference}|null = null;
  private toastTimer = 0;

  constructor(readonly root: HTMLElement) {
    document.documentElement.dataset.theme = this.wantedTheme();
    root.append(patterns(), this.bar, this.stripBox, this.main, this.live, this.tip);
    addEventListener('keydown', event => {
      if (handleKey(this, event)) event.preventDefault();
    });
    addEventListener('resize', () => this.render());
    addEventListener('hashchange', () => this.readHash());
    addEventListener('beforeprint', () => {
      document.documentElement.dataset.theme = 'light';
    });
    addEventListener('afterprint', () => {
      document.documentElement.dataset.theme = this.wantedTheme();
    });
  }

  // Before there is anything to show.
  openEmpty(view: ViewId): void {
    this.model = new Model(
        {psic: '', format: 1, file: '', source: {language: 'psi', text: ''}, passes: '', functions: []});
    const asked = new URLSearchParams(location.hash.replace(/^#/, '')).get('view');
    this.state = {...START, view: asked && this.views.has(asked as ViewId) ? asked as ViewId : view};
    this.pending = location.hash;
    this.render();
  }
  private pending = '';

  open(data: Explored, keep = false): void {
    this.layouts.clear();
    this.changes = null;
    const before = keep && this.model ? this.func.name : null;
    this.model = new Model(data);
    if (!keep) {
      this.state = {...START, view: this.state.view};
      this.readHash(true);
    } else {
      const func = Math.max(0, data.functions.findIndex(f => f.name === before));
      const steps = data.functions[func]?.steps.length ?? 1;
      this.state = {
        ...this.state,
        func,
        step: Math.min(this.state.step, steps - 1),
        inst: null,
        value: null,
        sets: [],
        trace: 0,
        event: 0,
        schedule: 0
      };
    }
    this.render();
  }
  readHash(first = false): void {
    if (!this.model) return;
    const names = this.model.functions.map(f => f.name);
    const from = fromHash(
        this.pending || location.hash, names, func => this.model.functions[func]?.data.steps.length ?? 1);
    if (!location.hash && !this.pending) return;
    this.pending = '';
    this.state = {...this.state, ...from};
    if (!first) this.render();
  }

  get func(): FuncModel {
    return this.model.functions[Math.min(this.state.func, this.model.functions.length - 1)];
  }
  get step(): number {
    return Math.min(this.state.step, this.func.data.steps.length - 1);
  }
  get base(): number {
    return Math.max(0, Math.min(this.state.base ?? this.step - 1, this.func.data.steps.length - 1));
  }
  get snap(): Snap {
    return this.func.at(this.step);
  }
  get before(): Snap {
    return this.func.at(this.base);
  }
  get difference(): Difference {
    const base = this.state.compare ? this.base : Math.max(0, this.step - 1);
    const key = `${this.state.func}.${base}.${this.step}`;
    if (this.changes?.key !== key) this.changes = {key, value: difference(this.func, base, this.step)};
    return this.changes.value;
  }

  set(change: Partial<State>): void {
    const old = this.state;
    this.state = {...old, ...change};
    if (change.func !== undefined && change.func !== old.func)
      Object.assign(this.state, {
        step: 0,
        base: null,
        inst: null,
        value: null,
        sets: [],
        pin: null,
        trace: 0,
        event: 0,
        schedule: 0,
        ...change
      });
    if (change.step !== undefined) {
      this.state.step = Math.max(0, Math.min(change.step, this.func.data.steps.length - 1));
      // What is not in the step cannot be selected in it.
      const snap = this.snap;
      if (this.state.inst !== null && !snap.number.has(this.state.inst) &&
          !(this.state.compare && this.before.number.has(this.state.inst)))
        this.state.inst = null;
      if (this.state.value !== null && !snap.values.has(this.state.value) &&
          !(this.state.compare && this.before.values.has(this.state.value)))
        this.state.value = null;
      const from = old.step < this.func.data.steps.length ? this.func.at(old.step) : snap;
      this.state.sets = this.state.sets.flatMap(s => {
        const a = from.regions.get(s.entry), b = snap.regions.get(s.entry),
              set = a && b ? sameSet(a, s.set, b) : null;
        return set ? [{entry: s.entry, set: set.id}] : [];
      });
      if (this.state.step !== old.step)
        this.say(stepWords(this.func.data.steps[this.state.step], this.state.step));
    }
    this.render();
  }

  selectInst(inst: InstId|null): void {
    const writes =
        inst === null ? [] : this.snap.insts.get(inst)?.writes || this.before.insts.get(inst)?.writes || [];
    this.set({inst, value: writes.length ? writes[0][0] : null});
  }
  selectValue(value: ValueId, inst: InstId|null, block: BlockId|null, more = false): void {
    const region = this.snap.regionOf(block);
    const set = this.snap.setOf(region, value);
    const change: Partial<State> = {value};
    if (inst !== null) change.inst = inst;
    if (set && region) {
      const one = {entry: region.entry, set: set.id};
      change.sets = more && this.state.sets.length && this.state.sets[0].entry === one.entry ?
          [this.state.sets[0], one] :
          [one];
    }
    this.set(change);
  }

  // Clicks on names and rows, wherever they are drawn.
  click(event: MouseEvent): void {
    const target = (event.target as Element).closest<HTMLElement>('[data-v],[data-b],[data-i]');
    if (!target) return;
    const row = target.closest<HTMLElement>('[data-i]');
    const inst = row ? Number(row.dataset.i) : null;
    if (target.dataset.v !== undefined) {
      const block = inst !== null ? this.snap.blockOf.get(inst) ?? null : null;
      this.selectValue(Number(target.dataset.v), inst, block, event.shiftKey);
    } else if (target.dataset.b !== undefined) {
      const rows = this.snap.blocks.get(Number(target.dataset.b))?.rows;
      if (rows?.length) this.selectInst(rows[0]);
    } else if (inst !== null)
      this.selectInst(inst);
  }

  render(): void {
    if (!this.model) return;
    const focus = (document.activeElement as HTMLElement | null)?.dataset?.k;
    const view = this.views.get(this.state.view) || this.views.get('flow')!;
    this.drawBar();
    if (view.noStrip || !this.model.functions.length)
      this.stripBox.replaceChildren();
    else
      this.stripBox.replaceChildren(passStrip(this));
    this.stripBox.hidden = !!view.noStrip || !this.model.functions.length;
    if (this.shown !== this.state.view) {
      if (this.shown) this.views.get(this.shown)?.hide?.();
      this.main.replaceChildren();
      this.shown = this.state.view;
    }
    if (!this.model.functions.length && this.state.view !== 'playground')
      this.main.replaceChildren(el('p', {class: 'empty'}, 'This file has no function with a body.'));
    else
      view.draw(this, this.main);
    if (focus && document.activeElement?.getAttribute('data-k') !== focus)
      this.root.querySelector<HTMLElement>(`[data-k="${CSS.escape(focus)}"]`)?.focus({preventScroll: true});
    const hash = this.link();
    if (location.hash !== hash && !this.pending) history.replaceState(null, '', hash);
    document.title =
        `${this.model.functions.length ? '$' + this.func.name : this.model.data.file}: psic explore`;
  }
  extraLink: () => string = () => '';
  link(): string {
    return toHash(this.state, this.model.functions.map(f => f.name)) + this.extraLink();
  }

  private drawBar(): void {
    const {model, state} = this;
    const functions =
        model.functions.map((f, i) => el('option', {value: i, selected: i === state.func}, '$' + f.name));
    const crumb = model.functions.length ?
        el('span', {class: 'crumb'}, el('span', {class: 'file', title: model.data.file}, model.data.file),
           el('span', {class: 'sep', 'aria-hidden': 'true'}, '›'),
           el('select', {
             class: 'pick',
             'aria-label': 'Function',
             'data-k': 'func',
             on: {
               change: (event: Event) => this.set({func: Number((event.target as HTMLSelectElement).value)})
             }
           },
              functions)) :
        '';
    const tabs = VIEWS.filter(([id]) => this.views.has(id))
                     .map(
                         ([id, title]) =>
                             el('button', {
                               type: 'button',
                               class: 'tab',
                               'aria-current': id === state.view ? 'page' : undefined,
                               'data-k': `tab-${id}`,
                               on: {click: () => this.set({view: id})}
                             },
                                title));
    this.bar.replaceChildren(
        el('h1', {class: 'brand'}, el('i', {'aria-hidden': 'true'}, 'ψ'), 'psic explore'), crumb,
        el('nav', {class: 'tabs', 'aria-label': 'Views'}, tabs),
        el('button', {type: 'button', class: 'find', 'data-k': 'find', on: {click: () => searchBox(this)}},
           'Search', kbd('/')),
        el('button', {
          type: 'button',
          class: 'icon',
          title: 'Dark or light (t)',
          'aria-label': 'Dark or light',
          'data-k': 'theme',
          on: {click: () => this.toggleTheme()}
        },
           '◐'),
        el('button', {
          type: 'button',
          class: 'icon',
          title: 'Keys (?)',
          'aria-label': 'Keys',
          'data-k': 'keys',
          on: {click: () => this.help()}
        },
           '?'));
  }

  private wantedTheme(): string {
    const asked = new URLSearchParams(location.search).get('theme');
    if (asked === 'dark' || asked === 'light') return asked;
    return this.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  }
  private theme: string|null = null;
  toggleTheme(): void {
    this.theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    document.documentElement.dataset.theme = this.theme;
    this.render();
  }

  say(words: string): void {
    this.live.textContent = words;
  }
  toast(words: string): void {
    this.tip.textContent = words;
    this.tip.hidden = false;
    clearTimeout(this.toastTimer);
    this.toastTimer = setTimeout(() => {
                        this.tip.hidden = true;
                      }, 2500) as unknown as number;
  }
  async copyLink(): Promise<void> {
    const link = location.href.replace(/#.*$/, '') + this.link();
    try {
      await navigator.clipboard.writeText(link);
      this.toast('Link copied');
    } catch {
      this.dialog(
          'Link', el('input', {class: 'wide', readonly: true, value: link, 'aria-label': 'Link to this'}));
    }
  }
  dialog(title: string, ...body: Kid[]): HTMLDialogElement {
    const box =
        el('dialog', {
          class: 'dialog',
          'aria-label': title,
          on: {
            close: () => box.remove(),
            click: (event: MouseEvent) => {
              if (event.target === box) box.close();
            }
          }
        },
           el('div', {class: 'dialog-head'}, el('h2', {}, title),
              el('button', {
                type: 'button',
                class: 'key-button',
                'aria-label': 'Esc: close',
                on: {click: () => box.close()}
              },
                 kbd('Esc'))),
           ...body);
    this.root.append(box);
    box.showModal();
    return box;
  }
  help(): void {
    this.dialog(
        'Keys',
        el('div', {class: 'keys'},
           KEYS.map(
               ([words, ...keys]) =>
                   el('div', {}, el('span', {}, words),
                      el('span', {}, keys.map(k => k === '…' ? k : kbd(k)))))));
  }
}
