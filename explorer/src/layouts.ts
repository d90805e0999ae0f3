// Layouts of snapshots: each is made once, small ones at once, large ones in a worker where the browser lets
// a page have one (a page from file:// may not).
import {CHAR, LIMIT} from './code';
import type {BlockId} from './data';
import {layout, type LayoutInput, type LayoutResult} from './layout';
import {tracksWidth} from './lanes';
import type {Snap} from './model';

declare const WORKER: string;

export const HEAD = 24, ROW = 20, FOOT = 6;
const SMALL = 120;

export interface Placed extends LayoutResult {
  index: Map<BlockId, number>;
  ids: BlockId[];
  widths: number[];
  heights: number[];
}

export function layoutInput(
    snap: Snap, changed: boolean, hints: Map<BlockId, number>|null): {input: LayoutInput; ids: BlockId[]} {
  const ids = snap.data.order.filter(id => snap.blocks.has(id));
  const index = new Map(ids.map((id, i) => [id, i]));
  const blocks = ids.map(id => {
    const block = snap.blocks.get(id)!;
    const lanes = snap.slots(id);
    let longest = block.name.length + 12;
    for (const row of block.rows)
      longest = Math.max(longest, Math.min(LIMIT, snap.insts.get(row)?.text.length || 0) + (changed ? 2 : 0));
    return {
      id,
      width: Math.ceil(tracksWidth(lanes.length) + 28 + longest * CHAR + 16 + (changed ? 44 : 0)),
      height: HEAD + ROW * block.rows.length + FOOT,
      lanes: lanes.length ? block.lanes : '',
      slots: lanes,
      region: lanes.length && block.region !== null ? block.region : -1,
      hint: hints?.get(id) ?? null
    };
  });
  const edges = ids.flatMap(
      (id, i) =>
          snap.blocks.get(id)!.to.filter(e => index.has(e.block))
              .map(e => ({from: i, to: index.get(e.block)!, lanes: e.lanes, back: e.back, label: e.when})));
  const list = snap.data.loops.filter(l => index.has(l.header));
  const at = new Map(list.map((l, i) => [l.header, i]));
  const loops = list.map(l => ({
                           header: index.get(l.header)!,
                           parent: l.parent === null ? -1 : at.get(l.parent) ?? -1,
                           depth: l.depth,
                           blocks: l.blocks.filter(b => index.has(b)).map(b => index.get(b)!)
                         }));
  return {input: {blocks, edges, loops}, ids};
}

export class Layouts {
  private readonly done = new Map<string, Placed>();
  private readonly waiting = new Map < string, {
    finish: (result: LayoutResult) => void;
    ready: Set<() => void>
  }
  >();
  private worker: Worker|null|undefined;

  // The layout if it is there at once, else null; `ready` is called when it is.
  get(key: string, snap: Snap, changed: boolean, hints: Map<BlockId, number>|null, ready: () => void): Placed
      |null {
    const known = this.done.get(key);
    if (known) return known;
    const asked = this.waiting.get(key);
    if (asked) {
      asked.ready.add(ready);
      return null;
    }
    const {input, ids} = layoutInput(snap, changed, hints);
    const finish = (result: LayoutResult): Placed => {
      const placed = {
        ...result,
        ids,
        index: new Map(ids.map((id, i) => [id, i])),
        widths: input.blocks.map(b => b.width),
        heights: input.blocks.map(b => b.height)
      };
      if (this.done.size > 200) this.done.clear();
      this.done.set(key, placed);
      return placed;
    };
    const worker = ids.length > SMALL ? this.start() : null;
    if (!worker) return finish(layout(input));
    this.waiting.set(key, {finish, ready: new Set([ready])});
    worker.postMessage({key, input});
    return null;
  }
  clear(): void {
    this.done.clear();
    this.waiting.clear();
  }

  private start(): Worker|null {
    if (this.worker !== undefined) return this.worker;
    try {
      const url = URL.createObjectURL(new Blob([WORKER], {type: 'text/javascript'}));
      const worker = new Worker(url);
      worker.onmessage = event => {
        const item = this.waiting.get(event.data.key);
        this.waiting.delete(event.data.key);
        item?.finish(event.data.result);
        for (const ready of item?.ready ?? []) ready();
      };
      worker.onerror = () => {
        this.worker = null;
      };
      this.worker = worker;
    } catch {
      this.worker = null;
    }
    return this.worker;
  }
}
