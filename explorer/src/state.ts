// What the page shows, and its place in the address: a link carries all of it.
import type {BlockId, InstId, ValueId} from './data';

export const VIEWS = [
  ['flow', 'Flow'], ['live', 'Live ranges'], ['schedule', 'Schedule'], ['steps', 'Steps'],
  ['playground', 'Playground'], ['lab', 'Lab']
] as const;
export type ViewId = typeof VIEWS[number][0];

export interface SetChoice {
  entry: BlockId;
  set: number
}

export interface State {
  view: ViewId;
  func: number;
  step: number;
  base: number|null;  // compared with; null: the step before
  compare: boolean;
  inst: InstId|null;
  value: ValueId|null;
  sets: SetChoice[];  // at most two
  pin: BlockId|null;
  text: boolean|null;  // panes open; null: as the room allows
  side: boolean|null;
  tab: 'ir'|'source'|'assembly';
  graph: boolean;  // partitions as nodes and edges
  blind: boolean;
  group: 'values'|'web'|'register';
  trace: number;
  event: number;
  schedule: number;
  dependences: boolean;
  table: boolean;  // charts as tables
}

export const START: State = {
  view: 'flow',
  func: 0,
  step: 0,
  base: null,
  compare: false,
  inst: null,
  value: null,
  sets: [],
  pin: null,
  text: null,
  side: null,
  tab: 'ir',
  graph: false,
  blind: false,
  group: 'web',
  trace: 0,
  event: 0,
  schedule: 0,
  dependences: false,
  table: false,
};

export function toHash(state: State, names: readonly string[]): string {
  const parts = new URLSearchParams();
  if (state.view !== 'flow') parts.set('view', state.view);
  parts.set('f', names[state.func] ?? '');
  parts.set('s', String(state.step));
  if (state.compare) parts.set('c', state.base === null ? '' : String(state.base));
  if (state.inst !== null) parts.set('i', String(state.inst));
  if (state.value !== null) parts.set('v', String(state.value));
  if (state.sets.length) parts.set('p', state.sets.map(s => `${s.entry}.${s.set}`).join('-'));
  if (state.pin !== null) parts.set('pin', String(state.pin));
  if (state.blind) parts.set('blind', '1');
  if (state.graph) parts.set('g', '1');
  if (state.view === 'steps') {
    parts.set('t', String(state.trace));
    parts.set('e', String(state.event));
  }
  if (state.view === 'schedule') parts.set('sched', String(state.schedule));
  return '#' + parts.toString();
}

export function fromHash(
    hash: string, names: readonly string[], steps: (func: number) => number): Partial<State> {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const result: Partial<State> = {};
  const number = (key: string): number|null => {
    const text = parts.get(key);
    return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
  };
  const view = VIEWS.find(([id]) => id === parts.get('view'));
  // A link without a view is one to the first.
  result.view = view ? view[0] : parts.has('f') ? 'flow' : undefined;
  if (!result.view) delete result.view;
  result.compare = false;
  result.base = null;
  const func = names.indexOf(parts.get('f') ?? '');
  if (func >= 0) result.func = func;
  const step = number('s');
  if (step !== null) result.step = Math.min(step, steps(Math.max(0, func)) - 1);
  if (parts.has('c')) {
    result.compare = true;
    result.base = number('c');
  }
  result.inst = number('i');
  result.value = number('v');
  result.pin = number('pin');
  result.blind = parts.has('blind');
  result.graph = parts.has('g');
  result.trace = number('t') ?? 0;
  result.event = number('e') ?? 0;
  result.schedule = number('sched') ?? 0;
  result.sets = (parts.get('p') || '')
                    .split('-')
                    .filter(p => /^\d+\.\d+$/.test(p))
                    .slice(0, 2)
                    .map(p => ({entry: Number(p.split('.')[0]), set: Number(p.split('.')[1])}));
  return result;
}
