// The data of the explorer: what `psic explore --json` writes, and what stands in the page.
//
// Numbers named `...Id` identify an instruction, a value (register) or a block of one function. They survive
// passes: what has one number at two steps is the same thing, whatever became of its text. Sizes are bounded;
// what was left out of a snapshot because it is too large is named in `omitted`.

export type InstId = number;
export type ValueId = number;
export type BlockId = number;
// A set of executions of a region: one character a lane, in the order of Region.lanes. `0`: in no execution of
// the lane, `1`: in all, `?`: in some, or not known. Code of a region without lanes has the empty string.
export type Mask = string;

export interface Explored {
  psic: string;    // the version
  format: 1;       // of this file
  file: string;    // name of the input, without its folder
  source: {language: 'psi' | 'llvm' | 'c'; text: string};
  passes: string;  // the list that was run
  functions: Func[];
  serve?: true;    // it comes from psic explore --serve, which answers POST explore and query
  // Of C that was served: what psicc makes of it, with the line of the source where it is known.
  assembly?: {text: string; source: number | null}[];
}

export interface Func {
  name: string;  // without `$`
  // steps[0] is the input, which no pass has changed.
  steps: Step[];
  snapshots: Snapshot[];  // each state of the function once
  traces: Trace[];
  graphs: PlacementGraph[];  // of the steps that place phis
  // The pass that failed: the steps end with it. It may have left text that does not verify.
  failure?: {pass: string; message: string; text?: string};
}

export interface Step {
  pass: string;  // `input` at step 0
  options: Record<string, string>;  // that differ from the default
  // The pipelines and fixpoint that it is part of, outermost first; equal neighbours share a bracket.
  // `iteration` counts from 1 in a group that is repeated, otherwise it is 0.
  groups: {name: string; number: number; iteration: number}[];
  snapshot: number;  // index in Func.snapshots
  changed: boolean;  // is the snapshot another than the step's before?
  changes: Changes;  // against the step before
  added: number;     // lines, as many as changes.added
  removed: number;
  counters: Record<string, number>;
  remarks: Remark[];
  ms?: number;  // with --time only
}

// By identity of instructions, not by text.
export interface Changes {
  added: InstId[];    // new
  removed: InstId[];  // gone; their text is in the snapshot before
  moved: [InstId, BlockId][];      // to another block; from this one
  changed: [InstId, string[]][];   // has tokens (as they stand in the text) that it had not before; may be none
  became?: [ValueId, ValueId][];   // of a pass that left SSA form: the register that a value is in now, if another
}

export interface Remark {
  kind: 'done' | 'refused';
  id: InstId | null;  // the instruction, in this step's snapshot or the one before
  subject: string;    // `%x`, or an opcode
  message: string;
  line?: number;      // of the source
}

// A state of the function. With `base` only what differs is here: entries of blocks, instructions, values and
// regions replace those of the base with the same id (of a region: `entry`); those in `gone` are dropped.
// `order` and all scalars are always here. Lists without ids (interference, copies, schedules, allocation,
// assembly) replace the base's where present.
export interface Snapshot {
  base?: number;  // index of an earlier snapshot, which may have a base itself
  gone?: {blocks?: BlockId[]; instructions?: InstId[]; values?: ValueId[]; regions?: BlockId[]};
  form: 'plain' | 'ssa' | 'conventional' | 'allocated';
  head: string;         // `func $f(%a: i32) -> i32 ssa {`
  parameters: ValueId[];
  order: BlockId[];     // in the order of the text
  frequencies: 'counts' | 'edge counts' | 'estimated';
  loops: Loop[];
  blocks: Block[];
  instructions: Inst[];
  values: Value[];
  regions: Region[];
  interference?: {pairs: [ValueId, ValueId][]; blind_only: [ValueId, ValueId][]};
  copies?: Copy[];
  schedules?: Schedule[];
  allocation?: {register: string; value: ValueId; spans: [number, number, Mask][]}[];
  assembly?: {text: string; id: InstId | null; packet?: number}[];
  omitted: ('live' | 'interference' | 'pressure' | 'proofs')[];  // too large
}

export interface Loop {
  header: BlockId;
  parent: BlockId | null;  // the header of the loop around it
  depth: number;           // 1: outermost
  blocks: BlockId[];       // all, header first
}

export interface Block {
  id: BlockId;
  name: string;      // as it is written, with `@`
  rows: InstId[];
  frequency: number;  // executions per call
  measured: boolean;
  loop: BlockId | null;    // the header of the innermost loop around it
  region: BlockId | null;  // the entry of its region; null: it cannot be reached, or has no predicates
  lanes: Mask;             // those that reach it
  to: Edge[];
  pressure?: Pressure[];   // by class, if any value of the class is live here
}

export interface Edge {
  block: BlockId;
  probability: number;
  when: string;   // `%l`, `!%l`, `3` of a switch; empty: always
  lanes: Mask;    // of the region that it leaves
  back: boolean;  // leads back to the header of a loop
}

// Registers that hold a value after each row: `aware`: the most of any lane; `blind`: with no look at guards.
export interface Pressure {
  class: 'general' | 'float' | 'predicate';
  aware: number[];
  blind: number[];
}

export interface Inst {
  id: InstId;
  text: string;  // names in it are written as in Value.name and Block.name
  guard: [ValueId, boolean] | null;  // false: `!%p`
  lanes: Mask;   // that execute it; of a psi: in which it takes an argument
  writes: [ValueId, Mask][];  // the lanes in which it writes
  reads: [ValueId, Mask][];   // the lanes in which it needs the value; a guard is read wherever the block is
  source: number | null;      // line of the source
}

export interface Value {
  id: ValueId;
  name: string;  // as it is written, with `%` and quotes where they are needed
  type: string;
  definitions: InstId[];  // one in SSA forms, none of a parameter
  parameter: boolean;
  uses: InstId[];
  // In SSA forms: the lanes, of the region of its definition, in which it is defined.
  domain: Mask;
  // What phis, psis and copies make one register: the least ValueId of its members; null: it is alone.
  web: ValueId | null;
  becomes?: string;  // not written: for pages, which know it from Changes.became of a later step
  class: Pressure['class'];
  live?: Live[];
}

// Live in one block: after the row `from` (null: from the block's start) up to the row `to` (null: to its end).
// The lanes are those of the block's region.
export type Live = [block: BlockId, from: InstId | null, to: InstId | null, lanes: Mask];

// An acyclic region in SSA forms, a block in plain form; only those with lanes are listed.
export interface Region {
  entry: BlockId;
  blocks: BlockId[];
  exact: boolean;  // each lane is one set, and each named set is known in each lane
  lanes: Lane[];   // at most six, from left to right
  sets: PredicateSet[];
  partitions: [whole: number, ...parts: number[]][];  // by PredicateSet.id
  proofs?: Proof[];
}

export interface Lane {
  set: number | null;  // PredicateSet.id; null: the sixth of more, which holds the others
  slot: number;        // 0 to 5: place, pattern and colour; the same set has the same slot at all steps
  term: string;        // `%a < %b & %c != %d`, or `other`
  weight: number;      // part of the region's executions
}

export interface PredicateSet {
  id: number;       // within the region, 1: all executions
  term: string;     // by its structure, `3 | 4` is written with names: `%r | %s`
  names: string[];  // `%18`, `!%14`, `@q`
  values: ValueId[];  // the registers among the names, not negated
  lanes: Mask;
}

// An answer of the predicate engines, for small regions; all others on demand (`psic explore --serve`).
export interface Proof {
  kind: 'disjoint' | 'subset';
  sets: [number, number];
  engine: string;
  steps: {statement: string; reason: string; from: number[]}[];  // `from`: earlier steps, from 0
}

export interface Copy {
  id: InstId;
  weight: number;  // executions of its block per call
  // Two values of the snapshot before that could not share a register; null: not known.
  because: {values: [ValueId, ValueId]; names: [string, string]; at: InstId | null; lanes: Mask} | null;
  ends_interfere: boolean;  // false: the copy may be avoidable
}

export interface Schedule {
  block: BlockId;
  kind: 'list' | 'modulo';
  aware: boolean;
  slots: string[];
  length: number;
  operations: {id: InstId; cycle: number; slot: number; stage: number}[];
  dependences: {from: InstId; to: InstId; kind: 'flow' | 'anti' | 'output' | 'memory' | 'control';
                value: ValueId | null; latency: number; distance: number; blind_only: boolean}[];
  chain: InstId[];
  modulo?: {ii: number; resource: number; recurrence: number; stages: number; limits: InstId[]};
}

// An algorithm in steps. `step`: index in Func.steps; the events begin with the snapshot before that step.
export type Trace = PlacementTrace | RenamingTrace | PsiTrace | CoalescingTrace;

export interface PlacementTrace {
  kind: 'phi-placement';
  step: number;
  algorithm: 'adt' | 'dj-graph' | 'cytron' | 'cytron-ferrante';
  variable: ValueId;
  definitions: BlockId[];
  // Each event takes a block and finds the joins from it.
  events: {take: BlockId; joins: BlockId[]; left: BlockId[]}[];
  phis: BlockId[];    // in the end
  of_use: BlockId[];  // those of them that something reads
}
// What placement looks at, once a step: the dominator tree, the J-edges, the frontiers.
export interface PlacementGraph {
  step: number;
  blocks: {id: BlockId; dominator: BlockId | null; level: number; joins: BlockId[]; frontier: BlockId[]}[];
}

export interface RenamingTrace {
  kind: 'renaming';
  step: number;
  variable: ValueId;
  // In the order of the dominator tree; `stack` is what is left, the current name last.
  events: {event: 'enter' | 'phi' | 'define' | 'read' | 'argument' | 'leave'; block: BlockId; id: InstId | null;
           name: string | null; stack: string[]}[];
}

export interface PsiTrace {
  kind: 'psi-normalize' | 'psi-web';
  step: number;
  // What became of each argument, in the order in which the pass goes through them. Of one that was copied, `with`
  // is a value of the psi that it interfered with, `at` where.
  events: {psi: InstId; argument: number; verdict: 'stays' | 'guard changed' | 'moved' | 'copied' | 'changed'; with: ValueId | null; at: InstId | null;
           lanes: Mask; copy: string | null}[];
}

export interface CoalescingTrace {
  kind: 'coalescing';
  step: number;
  // Two values that something joins, in the order of weight: do their webs become one?
  events: {a: ValueId; b: ValueId; weight: number; verdict: 'one' | 'interferes'; with: [ValueId, ValueId] | null}[];
}
