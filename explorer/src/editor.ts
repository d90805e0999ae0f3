// The editor of the playground: psic text with psic's own messages in the line, and the field of passes with
// completion.
import {acceptCompletion, autocompletion, closeCompletion, completionKeymap, type Completion, type CompletionContext, type CompletionResult} from '@codemirror/autocomplete';
import {defaultKeymap, history, historyKeymap} from '@codemirror/commands';
import {EditorState, RangeSetBuilder, StateEffect, StateField, type Extension} from '@codemirror/state';
import {Decoration, drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers, placeholder, ViewPlugin, WidgetType, type DecorationSet, type ViewUpdate} from '@codemirror/view';
import {el} from './dom';

export interface Message {
  line: number;
  column: number;
  length: number;
  severity: string;
  message: string;
  rule: string
}
export interface PassOption {
  name: string;
  summary: string;
  values: string[];
  default: string;
  describe: string
}
export interface PassInfo {
  name: string;
  summary: string;
  needs: string[];
  makes: string;
  options: PassOption[]
}

const setMessages = StateEffect.define<Message[]>();

class MessageWidget extends WidgetType {
  constructor(private readonly message: Message) {
    super();
  }
  eq(other: MessageWidget): boolean {
    return JSON.stringify(other.message) === JSON.stringify(this.message);
  }
  toDOM(): HTMLElement {
    const {severity, message, rule} = this.message;
    return el(
        'div', {class: 'diag', role: 'note'},
        el('div', {class: 'msg'}, el('b', {}, severity), el('span', {}, message),
           rule ? el('span', {class: 'rule'}, rule) : ''));
  }
  ignoreEvent(): boolean {
    return true;
  }
}

// Places are in bytes of UTF-8.
function columnOf(line: string, byte: number): number {
  let bytes = 0, i = 0;
  for (const letter of line) {
    if (bytes >= byte) break;
    const code = letter.codePointAt(0)!;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    i += letter.length;
  }
  return i;
}

const messageField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(set, transaction) {
    set = set.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(setMessages)) continue;
      const doc = transaction.state.doc, ranges = [];
      const lines = new Set<number>();
      for (const m of effect.value) {
        if (m.line < 1 || m.line > doc.lines) continue;
        const line = doc.line(m.line);
        if (!lines.has(m.line)) {
          lines.add(m.line);
          ranges.push(Decoration.line({class: 'err'}).range(line.from));
        }
        const from = Math.min(line.to, line.from + columnOf(line.text, m.column - 1));
        const to =
            Math.min(line.to, Math.max(from + 1, line.from + columnOf(line.text, m.column - 1 + m.length)));
        if (to > from) ranges.push(Decoration.mark({class: 'wavy'}).range(from, to));
        ranges.push(Decoration.widget({widget: new MessageWidget(m), block: true, side: 1}).range(line.to));
      }
      set = Decoration.set(ranges, true);
    }
    return set;
  },
  provide: field => EditorView.decorations.from(field),
});

const TOKEN = /#.*|"(?:[^"\\]|\\.)*"|[%@$](?:"(?:[^"\\]|\\.)*"|[\w.$-]+)|[A-Za-z_][\w.-]*/g;
const KEYWORDS = /^(?:func|ssa|conventional|allocated|if|old|counts|count|external|global|target)$/;
const marks: Record<string, Decoration> = Object.fromEntries(
    ['op', 'ty', 'cm', 'lab', 'kw'].map(name => [name, Decoration.mark({class: 'c-' + name})]));
const highlight = ViewPlugin.fromClass(class {
  decorations: DecorationSet;
  constructor(view: EditorView) {
    this.decorations = this.build(view);
  }
  update(update: ViewUpdate) {
    if (update.docChanged || update.viewportChanged) this.decorations = this.build(update.view);
  }
  build(view: EditorView): DecorationSet {
    const builder = new RangeSetBuilder<Decoration>();
    for (const range of view.visibleRanges) {
      for (let at = range.from; at <= range.to;) {
        const line = view.state.doc.lineAt(at);
        let head = true;
        for (const match of line.text.matchAll(TOKEN)) {
          const token = match[0], from = line.from + match.index!;
          if (token[0] === '#')
            builder.add(from, from + token.length, marks.cm);
          else if (token[0] === '@' || token[0] === '$')
            builder.add(from, from + token.length, marks.lab);
          else if (token[0] === '%' || token[0] === '"')
            continue;
          else if (KEYWORDS.test(token))
            builder.add(from, from + token.length, marks.kw);
          else if (head && !/^(?:ptr|[if]\d+|true|false|undef|null)$/.test(token)) {
            const dot = token.indexOf('.');
            builder.add(from, from + (dot < 0 ? token.length : dot), marks.op);
            if (dot > 0) builder.add(from + dot, from + token.length, marks.ty);
            head = false;
          } else
            builder.add(from, from + token.length, marks.ty);
        }
        at = line.to + 1;
      }
    }
    return builder.finish();
  }
}, {decorations: plugin => plugin.decorations});

export class ProgramEditor {
  readonly view: EditorView;
  constructor(
      parent: HTMLElement, text: string, changed: () => void, moved: (line: number, column: number) => void,
      extra: Extension[]) {
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        doc: text,
        extensions: [
          EditorView.cspNonce.of('codemirror'), lineNumbers(), history(), drawSelection(),
          highlightActiveLine(), messageField, highlight, ...extra,
          keymap.of([...historyKeymap, ...defaultKeymap]),
          EditorView.contentAttributes.of({'aria-label': 'Program', tabindex: '0', spellcheck: 'false'}),
          EditorView.updateListener.of(update => {
            if (update.docChanged) changed();
            if (update.selectionSet || update.docChanged) {
              const head = update.state.selection.main.head, line = update.state.doc.lineAt(head);
              moved(line.number, head - line.from + 1);
            }
          })
        ]
      })
    });
  }
  get text(): string {
    return this.view.state.doc.toString();
  }
  set text(value: string) {
    this.view.dispatch({changes: {from: 0, to: this.view.state.doc.length, insert: value}});
  }
  show(messages: Message[]): void {
    this.view.dispatch({effects: setMessages.of(messages)});
  }
}

// `if-convert(target=playdoh,mo` : a pass, or an option of the pass around, or a value of the option before.
export function complete(table: readonly PassInfo[], context: CompletionContext): CompletionResult|null {
  const before = context.state.doc.sliceString(0, context.pos);
  const open: {name: string; at: number}[] = [];
  for (const match of before.matchAll(/([\w-]*)\(|\)/g)) {
    if (match[0] === ')')
      open.pop();
    else
      open.push({name: match[1], at: match.index! + match[0].length});
  }
  const inside = open.length && open[open.length - 1].name !== 'fixpoint' ? open[open.length - 1] : null;
  const word = /[\w.-]*$/.exec(before)![0], from = context.pos - word.length;
  const info = (head: string, summary: string, rows: [string, string][]) => () => el(
      'div', {class: 'pop-doc'}, el('h3', {}, head), summary,
      rows.length ?
          el('table', {class: 't'},
             el('tbody', {},
                rows.map(
                    ([a, b]) => el('tr', {}, el('td', {class: 'm'}, a), el('td', {class: 'mute num'}, b))))) :
          '');
  let options: Completion[];
  if (inside) {
    const pass = table.find(p => p.name === inside.name);
    if (!pass) return null;
    const part = before.slice(inside.at).split(',').pop()!;
    const equals = part.indexOf('=');
    if (equals >= 0) {
      const option = pass.options.find(o => o.name === part.slice(0, equals).trim());
      options =
          (option?.values || [])
              .map(
                  value =>
                      ({label: value, detail: value === option!.default ? 'default' : '', type: 'value'}));
    } else {
      options = pass.options.map(
          option => ({
            label: option.name,
            detail: option.default,
            apply: option.name + '=',
            type: 'option',
            info: info(
                option.name, option.summary,
                option.values.length ? option.values.map(v => [v, v === option.default ? 'default' : '']) :
                                       [[option.describe, option.default]])
          }));
    }
  } else {
    options = [
      ...table.map(pass => ({
                     label: pass.name,
                     detail: pass.makes ? `to ${pass.makes}` : '',
                     type: 'pass',
                     info: info(pass.name, pass.summary, pass.options.map(o => [o.name, o.default]))
                   })),
      {
        label: 'fixpoint',
        detail: 'repeat',
        apply: 'fixpoint(',
        type: 'pass',
        info: info('fixpoint', 'the passes in parentheses, until nothing changes', [])
      }
    ];
  }
  return {from, options, validFor: /^[\w.-]*$/};
}

export class PassesField {
  readonly view: EditorView;
  constructor(parent: HTMLElement, text: string, table: () => readonly PassInfo[], changed: () => void) {
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        doc: text,
        extensions: [
          EditorView.cspNonce.of('codemirror'), history(),
          EditorState.transactionFilter.of(tr => tr.newDoc.lines > 1 ? [] : tr),
          autocompletion(
              {override: [context => complete(table(), context)], icons: false, activateOnTyping: true}),
          keymap.of([
            {key: 'Tab', run: acceptCompletion}, ...completionKeymap, {key: 'Escape', run: closeCompletion},
            ...historyKeymap, ...defaultKeymap
          ]),
          placeholder('no passes'),
          EditorView.contentAttributes.of({'aria-label': 'Passes', tabindex: '0', spellcheck: 'false'}),
          EditorView.updateListener.of(update => {
            if (update.docChanged) changed();
          })
        ]
      })
    });
  }
  get text(): string {
    return this.view.state.doc.toString();
  }
  set text(value: string) {
    this.view.dispatch({changes: {from: 0, to: this.view.state.doc.length, insert: value}});
  }
}
