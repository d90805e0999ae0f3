// The data, made ready: snapshots put together from their bases, and found by id and name. No analysis
// happens here; what is not in the data is not known.
import type {Block, BlockId, Explored, Func, Inst, InstId, Loop, PredicateSet, Region, Snapshot, Value, ValueId} from './data';

export interface Line {
  kind: 'head'|'label'|'inst'|'end'|'gone';
  text: string;
  inst?: InstId;
  block?: BlockId;
}

export class Snap {
  readonly blocks: Map<BlockId, Block>;
  readonly insts: Map<InstId, Inst>;
  readonly values: Map<ValueId, Value>;
  readonly regions: Map<BlockId, Region>;
  readonly number = new Map<InstId, number>();  // as psic counts them in the text, from 1
  readonly blockOf = new Map<InstId, BlockId>();
  readonly rows: InstId[] = [];  // all, in the order of the text
  readonly byName = new Map<string, Value>();
  readonly blockByName = new Map<string, Block>();
  readonly loops = new Map<BlockId, Loop>();
  readonly data: Snapshot;
  private readonly setOfValue = new Map<BlockId, Map<ValueId, PredicateSet>>();

  constructor(data: Snapshot, readonly index: number, base: Snap|null) {
    const merged =
        <T>(old: Map<number, T>|undefined, list: T[], key: (item: T) => number, gone: number[]|undefined) => {
          const map = new Map(old || []);
          for (const id of gone || []) map.delete(id);
          for (const item of list) map.set(key(item), item);
          return map;
        };
    this.blocks = merged(base?.blocks, data.blocks, b => b.id, data.gone?.blocks);
    this.insts = merged(base?.insts, data.instructions, i => i.id, data.gone?.instructions);
    this.values = merged(base?.values, data.values, v => v.id, data.gone?.values);
    this.regions = merged(base?.regions, data.regions, r => r.entry, data.gone?.regions);
    this.data = {...data};
    for (const key of ['interference', 'copies', 'schedules', 'allocation', 'assembly'] as const) {
      if (this.data[key] === undefined && base) (this.data as any)[key] = base.data[key];
    }
    let count = 0;
    for (const id of data.order) {
      const block = this.blocks.get(id);
      if (!block) continue;
      this.blockByName.set(block.name, block);
      for (const row of block.rows) {
        this.number.set(row, ++count);
        this.blockOf.set(row, id);
        this.rows.push(row);
      }
    }
    for (const value of this.values.values()) this.byName.set(value.name, value);
    for (const loop of data.loops) this.loops.set(loop.header, loop);
  }

  regionOf(block: BlockId|null|undefined): Region|null {
    const entry = block === null || block === undefined ? null : this.blocks.get(block)?.region;
    return entry === null || entry === undefined ? null : this.regions.get(entry) || null;
  }
  slots(block: BlockId|null|undefined): number[] {
    const region = this.regionOf(block);
    return region ? region.lanes.map(lane => lane.slot) : [];
  }
  // The set that a predicate register is, in the region of a block.
  setOf(region: Region|null, value: ValueId): PredicateSet|null {
    if (!region) return null;
    let map = this.setOfValue.get(region.entry);
    if (!map) {
      map = new Map();
      for (const set of region.sets)
        for (const id of set.values) map.set(id, set);
      this.setOfValue.set(region.entry, map);
    }
    return map.get(value) || null;
  }
  webOf(value: Value): Value[] {
    if (value.web === null) return [value];
    return [...this.values.values()].filter(other => other.web === value.web);
  }
  partners(value: ValueId, blind: boolean): ValueId[]|null {
    const data = this.data.interference;
    if (!data) return null;
    const found: ValueId[] = [];
    for (const pairs of blind ? [data.pairs, data.blind_only] : [data.pairs]) {
      for (const [a, b] of pairs)
        if (a === value)
          found.push(b);
        else if (b === value)
          found.push(a);
    }
    return found;
  }
}

export class FuncModel {
  private readonly snaps = new Map<number, Snap>();
  constructor(readonly data: Func, readonly index: number) {}

  get name(): string {
    return this.data.name;
  }
  snap(index: number): Snap {
    // From the nearest base that is there; chains are long, so not by recursion.
    const chain: number[] = [];
    for (let i: number|undefined = index; i !== undefined && !this.snaps.has(i);
         i = this.data.snapshots[i].base)
      chain.push(i);
    if (this.snaps.size > 400) this.snaps.clear();
    while (chain.length) {
      const i = chain.pop()!;
      const base = this.data.snapshots[i].base;
      let from = base === undefined ? null : this.snaps.get(base) || null;
      if (base !== undefined && !from) from = this.snap(base);
      this.snaps.set(i, new Snap(this.data.snapshots[i], i, from));
    }
    return this.snaps.get(index)!;
  }
  // The register that a value is in after the next step that left SSA form, if that says so.
  becomes(step: number, value: ValueId): string|null {
    for (let i = step + 1; i < this.data.steps.length; ++i) {
      const {became} = this.data.steps[i].changes;
      if (!became) continue;
      const pair = became.find(([from]) => from === value);
      return this.at(i).values.get(pair ? pair[1] : value)?.name ?? null;
    }
    return null;
  }
  at(step: number): Snap {
    return this.snap(this.data.steps[step].snapshot);
  }
}

export interface Difference {
  added: Set<InstId>;
  removed: InstId[];
  moved: Map<InstId, BlockId>;
  tokens: Map<InstId, string[]>;
}

const words = (text: string) => text.match(/[!]?[%@$](?:"[^"]*"|[\w.$-]+)|[\w.-]+/g) || [];

// What changed between two steps, by identity. psic says it for neighbours; for others it follows from the
// ids.
export function difference(func: FuncModel, base: number, step: number): Difference {
  const result: Difference = {added: new Set(), removed: [], moved: new Map(), tokens: new Map()};
  if (base === step) return result;
  if (base === step - 1) {
    const changes = func.data.steps[step].changes;
    result.added = new Set(changes.added);
    result.removed = changes.removed;
    result.moved = new Map(changes.moved);
    result.tokens = new Map(changes.changed);
    return result;
  }
  const before = func.at(base), after = func.at(step);
  for (const id of after.rows) {
    const old = before.insts.get(id);
    if (!old || !before.number.has(id)) {
      result.added.add(id);
      continue;
    }
    const from = before.blockOf.get(id)!;
    if (from !== after.blockOf.get(id)) result.moved.set(id, from);
    const now = after.insts.get(id)!;
    if (now.text !== old.text) {
      const known = new Set(words(old.text));
      result.tokens.set(id, words(now.text).filter(word => !known.has(word)));
    }
  }
  result.removed = before.rows.filter(id => !after.number.has(id));
  return result;
}

// The text of a snapshot, with the lines that are gone at their old places.
export function textLines(snap: Snap, before: Snap|null, gone: readonly InstId[]): Line[] {
  const after = new Map<string, Line[]>();
  if (before && gone.length) {
    const removed = new Set(gone);
    // What stood behind it in the text, if that is still there.
    let anchor = 'top';
    for (const id of before.data.order) {
      const block = before.blocks.get(id);
      if (!block) continue;
      if (snap.blockByName.has(block.name) && snap.blocks.has(id)) anchor = `b${id}`;
      for (const row of block.rows) {
        if (!removed.has(row))
          anchor = `i${row}`;
        else
          after.set(anchor, [
            ...(after.get(anchor) || []),
            {kind: 'gone', text: '  ' + (before.insts.get(row)?.text || ''), inst: row}
          ]);
      }
    }
  }
  const lines: Line[] = [{kind: 'head', text: snap.data.head}, ...(after.get('top') || [])];
  for (const id of snap.data.order) {
    const block = snap.blocks.get(id);
    if (!block) continue;
    lines.push({kind: 'label', text: block.name + ':', block: id}, ...(after.get(`b${id}`) || []));
    for (const row of block.rows) {
      lines.push(
          {kind: 'inst', text: '  ' + (snap.insts.get(row)?.text || ''), inst: row, block: id},
          ...(after.get(`i${row}`) || []));
    }
  }
  lines.push({kind: 'end', text: '}'});
  return lines;
}

export class Model {
  readonly functions: FuncModel[];
  constructor(readonly data: Explored) {
    this.functions = data.functions.map((f, i) => new FuncModel(f, i));
  }
}

// The set in another snapshot that is the same set of executions: lanes of one slot are one set at all steps.
export function sameSet(from: Region, set: number, to: Region): PredicateSet|null {
  const old = from.sets.find(s => s.id === set);
  if (!old) return null;
  const bits = new Map(from.lanes.map((lane, i) => [lane.slot, old.lanes[i]]));
  if (from.lanes.length !== to.lanes.length || to.lanes.some(lane => !bits.has(lane.slot))) return null;
  const mask = to.lanes.map(lane => bits.get(lane.slot)).join('');
  const same = to.sets.filter(s => s.lanes === mask);
  return same.find(s => s.names.some(name => old.names.includes(name))) ??
      same.find(s => s.term === old.term) ?? same[0] ?? null;
}
