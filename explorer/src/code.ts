// psic text as tokens: weight and grey, no hue. Under the name of a predicate, its lanes.
import {el} from './dom';
import type {BlockId, InstId, ValueId} from './data';
import {underline, type Slots} from './lanes';
import type {Snap} from './model';

export interface CodeContext {
  snap?: Snap;
  block?: BlockId;  // whose region gives the lanes
  inst?: InstId;
  value?: ValueId|null;  // the selected value
  fresh?: readonly string[];
  limit?: number;   // characters
  plain?: boolean;  // no lanes, no links
}

const TOKEN =
    /\s+|[%@$](?:"(?:[^"\\]|\\.)*"|[\w.$-]+)|"(?:[^"\\]|\\.)*"|-?\d[\w.+-]*|[A-Za-z_][\w.-]*|#.*$|./g;
const KEYWORDS =
    new Set(['if', 'old', 'func', 'ssa', 'counts', 'count', 'external', 'global', 'target', 'conventional']);

export function code(text: string, context: CodeContext = {}): HTMLElement {
  const line = el('span', {class: 'code'});
  const limit = context.limit ?? Infinity;
  const shown = text.length > limit ? text.slice(0, limit - 1) + '…' : text;
  const {snap} = context;
  const region = snap && context.block !== undefined ? snap.regionOf(context.block) : null;
  const slots: Slots = region ? region.lanes.map(l => l.slot) : [];
  const writes = new Set<ValueId>(
      snap && context.inst !== undefined ? (snap.insts.get(context.inst)?.writes || []).map(w => w[0]) : []);
  const fresh = new Set(context.fresh || []);
  let head = true, past = !/ = /.test(shown);
  for (const token of shown.match(TOKEN) || []) {
    const first = token[0];
    if (/^\s/.test(token))
      line.append(token);
    else if (first === '%') {
      const value = snap?.byName.get(token);
      const node =
          el('span', {class: 'reg', 'data-v': value && !context.plain ? value.id : undefined}, token);
      const chosen = value && context.value === value.id;
      if (chosen) node.classList.add(writes.has(value.id) && !past ? 'sel' : 'use');
      const set = value && region && snap ? snap.setOf(region, value.id) : null;
      if (set && !(chosen && node.classList.contains('sel')) && !context.plain)
        underline(node, set.lanes, slots);
      if (fresh.has(token) || fresh.has('!' + token)) node.classList.add('nw');
      line.append(node);
    } else if (first === '@' || first === '$') {
      const block = first === '@' ? snap?.blockByName.get(token) : undefined;
      line.append(
          el('span', {
            class: 'lab' + (fresh.has(token) ? ' nw' : ''),
            'data-b': block && !context.plain ? block.id : undefined
          },
             token));
    } else if (first === '#')
      line.append(el('span', {class: 'cm'}, token));
    else if (/^[A-Za-z_]/.test(token)) {
      if (KEYWORDS.has(token))
        line.append(el('span', {class: 'kw'}, token));
      else if (head && !/^(ptr|[if]\d+|true|false|undef|null)$/.test(token)) {
        const dot = token.indexOf('.');
        const name = dot < 0 ? token : token.slice(0, dot);
        line.append(el('span', {class: 'op' + (fresh.has(name) || fresh.has(token) ? ' nw' : '')}, name));
        if (dot >= 0) line.append(el('span', {class: 'ty'}, token.slice(dot)));
        head = false;
      } else
        line.append(el('span', {class: 'ty' + (fresh.has(token) ? ' nw' : '')}, token));
    } else if (/^[?=,:[\](){}!]$/.test(token)) {
      if (token === '=') past = true;
      line.append(el('span', {class: 'pt'}, token));
    } else
      line.append(fresh.has(token) ? el('span', {class: 'nw'}, token) : token);
  }
  if (shown !== text) line.title = text;
  return line;
}

// The width of a line is its number of characters: nothing is measured.
export const CHAR = 7.2;
export const LIMIT = 88;
