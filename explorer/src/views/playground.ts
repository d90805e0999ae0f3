// 5 Playground: a program, passes, and what psic in this page makes of them. Nothing leaves the page.
import type {Answer, App, Engine, View} from '../app';
import type {Explored} from '../data';
import {el, kbd, muted, plural} from '../dom';
import {PassesField, ProgramEditor, type Message, type PassInfo} from '../editor';
import type {WasmEngine} from '../engine';
import {GraphCanvas} from '../graph_canvas';
import {pack, unpackText} from '../link';
import {keymap} from '@codemirror/view';
import {failureWords, passStrip} from '../strip';

export interface Program {
  name: string;
  file: string;
  text: string;
  passes: string;
  run: string
}
interface Checked {
  messages: Message[];
  text: string;
  passes: Message[];
  functions: {name: string; form: string; parameters: string[]}[]
}
interface Ran {
  status?: string;
  result?: string;
  output?: string;
  message?: string;
  exit_code?: number;
  error?: string;
  stats?: Record<string, any>
}

const FUEL = 5_000_000;

export class PlaygroundView implements View {
  noStrip = true;
  private box: HTMLElement|null = null;
  private editor!: ProgramEditor;
  private passes!: PassesField;
  private readonly runField =
      el('input',
         {class: 'run-input', type: 'text', 'aria-label': 'Function and arguments', spellcheck: 'false'});
  private readonly choice = el('select', {class: 'pick', 'aria-label': 'Example'});
  private readonly messageBox =
      el('div', {class: 'out', tabindex: 0, role: 'region', 'aria-label': 'Messages'});
  private readonly messageCount = muted();
  private readonly place = el('span', {}, 'line 1, column 1');
  private readonly errors = el('span', {class: 'bad-words'});
  private readonly form = el('span', {class: 'end'});
  private readonly stale = el('span', {class: 'end stale-words'});
  private readonly stripBox = el('div', {});
  private readonly ran = el('div', {class: 'ran'});
  private readonly passMessage = el('div', {class: 'pass-message', role: 'alert', hidden: true});
  private readonly result = el('section', {class: 'pane result', 'aria-label': 'Result'});
  private canvas: GraphCanvas|null = null;
  private table: PassInfo[] = [];
  private file = 'program.psi';
  private timer = 0;
  private asked = 0;
  private packed = '';
  private ready = false;
  private hashOfProgram: URLSearchParams;
  // What is shown is of this program.
  private shown: {text: string; passes: string}|null = null;
  private lastRun: {words: string; answer: Ran; text: string; passes: string}|null = null;

  constructor(private readonly engine: WasmEngine, private readonly programs: readonly Program[]) {
    this.hashOfProgram = new URLSearchParams(location.hash.replace(/^#/, ''));
  }

  async begin(app: App): Promise<void> {
    this.build(app);
    const first = this.programs[0];
    let program: Program = first ?? {name: '', file: 'program.psi', text: '', passes: '', run: ''};
    const z = this.hashOfProgram.get('z');
    if (z) {
      try {
        program = {
          name: '',
          file: this.hashOfProgram.get('file') || 'program.psi',
          text: await unpackText(z),
          passes: this.hashOfProgram.get('passes') ?? '',
          run: this.hashOfProgram.get('run') ?? ''
        };
        this.choice.value = '';
      } catch {
        app.toast('The program of this link cannot be read');
      }
    }
    this.open(program);
    await this.engine.start();
    this.table = (await this.engine.ask<{passes: PassInfo[]}>('passes', {})).passes;
    this.ready = true;
    await this.check(app, true);
    await this.run(app);
  }

  linkPart(): string {
    if (!this.packed) return '';
    return `&z=${this.packed}&passes=${encodeURIComponent(this.passes.text)}&file=${
        encodeURIComponent(this.file)}&run=${encodeURIComponent(this.runField.value)}`;
  }

  private open(program: Program): void {
    this.file = program.file;
    this.runField.value = program.run;
    this.passes.text = program.passes;
    this.editor.text = program.text;
    this.canvas?.reset();
  }

  private build(app: App): void {
    const program = el('div', {class: 'ed'}), passes = el('div', {class: 'passes-input'});
    const changed = () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.check(app, false), 150) as unknown as number;
    };
    const run = () => {
      void this.run(app);
      return true;
    };
    this.editor = new ProgramEditor(program, '', changed, (line, column) => {
      this.place.textContent = `line ${line}, column ${column}`;
    }, [keymap.of([{key: 'Ctrl-Enter', run}])]);
    this.passes = new PassesField(passes, '', () => this.table, changed);
    this.choice.replaceChildren(
        el('option', {value: ''}, 'own program'),
        ...this.programs.map((p, i) => el('option', {value: i, selected: i === 0}, p.name)));
    this.choice.addEventListener('change', () => {
      const chosen = this.programs[Number(this.choice.value)];
      if (this.choice.value === '' || !chosen) return;
      this.open(chosen);
      void this.check(app, true).then(() => this.run(app));
    });
    this.runField.addEventListener('keydown', event => {
      if (event.key === 'Enter') void this.run(app);
    });
    const tools = el(
        'div', {class: 'tools'}, this.choice,
        el('label', {class: 'field', style: 'flex:1 1 0'}, el('span', {class: 'lb'}, 'run'), this.runField),
        el('button', {type: 'button', class: 'runb', on: {click: () => void this.run(app)}}, 'Run',
           kbd('Ctrl ↵')),
        el('div', {class: 'field', style: 'flex:2.1 1 0;min-width:0'}, el('span', {class: 'lb'}, 'passes'),
           passes),
        el('button', {type: 'button', class: 'btn', on: {click: () => void this.copy(app)}}, 'Copy link'));
    this.canvas = new GraphCanvas(app, 'Result graph');
    this.result.append(
        el('div', {class: 'head'}, el('h2', {}, 'Result'), this.stale), this.stripBox, this.passMessage,
        el('div', {class: 'result-stage'}, this.canvas.box), this.ran);
    const left =
        el('section', {class: 'pane', 'aria-label': 'Program'},
           el('div', {class: 'head'}, el('h2', {}, 'Program'), el('span', {class: 'sub m'}, ''), this.form),
           program,
           el('div', {class: 'messages'},
              el('div', {class: 'head'}, el('h2', {}, 'Messages'), this.messageCount), this.messageBox),
           el('div', {class: 'status'}, this.place, this.errors,
              el('span', {class: 'push'}, 'checked while you type'),
              el('span', {}, 'psic in this page, offline')));
    this.box =
        el('div', {class: 'playground'}, tools,
           el('div', {class: 'work', style: 'grid-template-columns:minmax(0,1.08fr) minmax(0,1fr)'}, left,
              this.result));
    addEventListener('dragover', event => event.preventDefault());
    addEventListener('drop', event => {
      event.preventDefault();
      const file = event.dataTransfer?.files[0];
      if (file)
        void file.text().then(text => {
          this.choice.value = '';
          this.open({name: '', file: file.name, text, passes: this.passes.text, run: ''});
          app.set({view: 'playground'});
        });
    });
  }

  // Messages for what is in the editor; then, if it is valid, what the passes do.
  private async check(app: App, fresh: boolean): Promise<void> {
    if (!this.ready) return;
    const text = this.editor.text, passes = this.passes.text.trim(), turn = ++this.asked;
    let checked: Checked;
    try {
      checked = await this.engine.ask<Checked>('check', {file: this.file, text, passes});
    } catch (error) {
      return this.trouble(error);
    }
    if (turn !== this.asked) return;
    this.editor.show(checked.messages);
    const bad = checked.messages.filter(m => m.severity === 'error').length;
    this.messageBox.replaceChildren(...messageLines(checked.text));
    this.messageCount.textContent = checked.messages.length ?
        `${checked.messages.length}, as psic check prints ${checked.messages.length === 1 ? 'it' : 'them'}` :
        'none';
    this.errors.textContent = bad ? `× ${plural(bad, 'error')}` : '';
    this.form.textContent = checked.functions.length ?
        `${[...new Set(checked.functions.map(f => f.form))].join(', ')} · ${
            plural(checked.functions.length, 'function')}` :
        '';
    this.passMessage.hidden = !checked.passes.length;
    this.passMessage.textContent = checked.passes.map(m => m.message).join('; ');
    if (!bad && !checked.passes.length) {
      try {
        const data =
            await this.engine.ask<Explored&{error?: string}>('explore', {file: this.file, text, passes});
        if (turn !== this.asked) return;
        if (data.error !== undefined) {
          this.passMessage.hidden = false;
          this.passMessage.textContent = data.error;
        } else {
          // The function that is run is the one that is shown.
          const ran =
              data.functions.findIndex(f => '$' + f.name === this.runField.value.trim().split(/\s+/)[0]);
          const step = this.shown && !fresh ? app.state.step :
              data.functions[0]             ? data.functions[0].steps.length - 1 :
                                              0;
          const last = !this.shown || fresh || app.state.step === app.func.data.steps.length - 1;
          this.shown = {text, passes};
          app.open(data, !fresh && !!app.model?.functions.length);
          if (fresh && ran > 0) app.set({func: ran});
          if (data.functions.length)
            app.set({step: last ? data.functions[app.state.func]!.steps.length - 1 : step});
        }
      } catch (error) {
        return this.trouble(error);
      }
    }
    this.packed = await pack(text);
    this.drawResult(app);
    app.render();
    const failure = app.func?.data.failure;
    if (failure && this.passMessage.hidden) {
      this.passMessage.hidden = false;
      this.passMessage.textContent = failureWords(failure.message);
    }
  }

  private trouble(error: unknown): void {
    this.passMessage.hidden = false;
    this.passMessage.textContent = (error as Error).message;
  }

  private async run(app: App): Promise<void> {
    if (!this.ready) return;
    const words = this.runField.value.trim().split(/[\s,]+/).filter(Boolean);
    if (!words.length) {
      this.lastRun = null;
      this.drawRun();
      return;
    }
    const text = this.editor.text, passes = this.passes.text.trim();
    let answer: Ran;
    try {
      answer = await this.engine.ask<Ran>(
          'run', {file: this.file, text, passes, function: words[0], arguments: words.slice(1), fuel: FUEL});
    } catch (error) {
      answer = {error: (error as Error).message};
    }
    this.lastRun = {words: words.join(' '), answer, text, passes};
    this.drawRun();
    app.say(answer.error ?? answer.message ?? `result ${answer.result}`);
  }

  draw(app: App, box: HTMLElement): void {
    if (!this.box) return;
    if (box.firstChild !== this.box) box.replaceChildren(this.box);
    this.drawResult(app);
  }

  private drawResult(app: App): void {
    const now =
        this.shown && this.editor.text === this.shown.text && this.passes.text.trim() === this.shown.passes;
    this.result.classList.toggle('stale', !!this.shown && !now);
    this.stale.textContent = this.shown && !now ? 'of the last valid program' : '';
    if (!app.model?.functions.length || app.state.view !== 'playground') return;
    this.stripBox.replaceChildren(passStrip(app));
    const {snap} = app, steps = app.func.data.steps;
    this.canvas!.show(
        {snap, difference: app.step > 0 ? app.difference : null, stepKey: `${app.state.func}`},
        `$${app.func.name} ${app.step === 0 ? 'of the input' : `after ${steps[app.step].pass}`}`,
        `${plural(snap.data.order.length, 'block')}, ${plural(snap.rows.length, 'instruction')}`);
  }

  private drawRun(): void {
    const last = this.lastRun;
    if (!last) {
      this.ran.replaceChildren();
      return;
    }
    const {answer} = last, stats = answer.stats;
    const rows: [string, string][] = stats ?
        [
          ['instructions executed', stats.executed], ['of them guarded', stats.guarded],
          ['instructions nullified', stats.nullified], ['branches taken', stats['branches taken']],
          ['conditional branches', stats['conditional branches']],
          ...Object.entries(stats['executed by opcode']),
          ...Object.entries(stats['nullified by opcode']).map(([k, v]) => [`${k} (nullified)`, v])
        ] as [string, string][] :
        [];
    const failure = answer.error ?? answer.message ?? '';
    this.ran.replaceChildren(
        el('div', {class: 'head'}, el('h2', {}, 'Run'), el('code', {class: 'mute'}, last.words),
           last.passes ? muted('after the passes') : ''),
        el('div', {class: 'ran-body'},
           el('div', {class: 'ran-result'},
              el('div', {class: 'mute'}, answer.status === 'exited' ? 'exited with' : 'result'),
              el('div', {class: 'big-result'},
                 failure                        ? '–' :
                     answer.status === 'exited' ? answer.exit_code :
                                                  answer.result || 'none')),
           el('div', {class: 'out', tabindex: 0, role: 'region', 'aria-label': 'Output and counts'},
              failure ? el('div', {class: 'bad-words'}, messageLines(failure)) : '',
              answer.output ? [el('div', {}, answer.output), el('hr')] : '',
              el('div', {class: 'counts'},
                 rows.map(([name, count]) => el('div', {}, el('b', {}, count), ' ', name))))));
  }

  private async copy(app: App): Promise<void> {
    this.packed = await pack(this.editor.text);
    await app.copyLink();
  }

  key(app: App, event: KeyboardEvent): boolean {
    // The steps of the result, and its instructions.
    if (!app.model?.functions.length) return false;
    const steps = app.func.data.steps.length;
    if (event.key === 'ArrowRight' && app.step + 1 < steps)
      app.set({step: app.step + 1});
    else if (event.key === 'ArrowLeft' && app.step > 0)
      app.set({step: app.step - 1});
    else if (event.key === 'f')
      this.canvas!.fit();
    else if (event.key === 'Enter' && event.ctrlKey)
      void this.run(app);
    else
      return false;
    return true;
  }

  // Questions on predicates, of the program that is shown.
  predicates(): Engine {
    return {
      query: question => this.engine.ask<Answer>(
          'query',
          {file: this.file, text: this.shown?.text ?? '', passes: this.shown?.passes ?? '', ...question})
    };
  }
}

function messageLines(text: string): Node[] {
  return text.split('\n').map((line, i, all) => {
    const found = /^(.*?)(error|\^~*$)(.*)$/.exec(line);
    const node =
        el('span', {}, found ? [found[1], el('b', {class: 'bad-words'}, found[2]), found[3]] : line,
           i + 1 < all.length ? '\n' : '');
    return node;
  });
}
