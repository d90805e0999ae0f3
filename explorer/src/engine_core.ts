// psic as WebAssembly: one instance, and what it wants of its host. It reads no files and has no clock of its
// own.

export type Question = 'explore'|'check'|'run'|'passes'|'query'|'opt';

export class Instance {
  private constructor(private readonly exports: Record<string, any>) {}

  static async make(module: WebAssembly.Module): Promise<Instance> {
    let memory: WebAssembly.Memory|null = null;
    const view = () => new DataView(memory!.buffer);
    const known: Record<string, (...args: any[]) => number> = {
      // Nothing is written to any file: messages come back as answers.
      fd_write: (_fd: number, list: number, count: number, written: number) => {
        let sum = 0;
        for (let i = 0; i < count; ++i) sum += view().getUint32(list + 8 * i + 4, true);
        view().setUint32(written, sum, true);
        return 0;
      },
      environ_sizes_get: (count: number, size: number) => {
        view().setUint32(count, 0, true);
        view().setUint32(size, 0, true);
        return 0;
      },
      environ_get: () => 0,
      args_sizes_get: (count: number, size: number) => {
        view().setUint32(count, 0, true);
        view().setUint32(size, 0, true);
        return 0;
      },
      args_get: () => 0,
      clock_time_get: (_id: number, _precision: bigint, out: number) => {
        view().setBigUint64(out, BigInt(Math.round(performance.now() * 1e6)), true);
        return 0;
      },
      // The same numbers in each run.
      random_get: (at: number, size: number) => {
        new Uint8Array(memory!.buffer, at, size).fill(7);
        return 0;
      },
      proc_exit: (code: number) => {
        throw new Error(`psic ended with ${code}`);
      },
    };
    const wasi: Record<string, (...args: any[]) => number> = {};
    for (const {module: from, name} of WebAssembly.Module.imports(module))
      if (from === 'wasi_snapshot_preview1') wasi[name] = known[name] ?? (() => 52);
    const instance = await WebAssembly.instantiate(module, {wasi_snapshot_preview1: wasi});
    memory = instance.exports.memory as WebAssembly.Memory;
    (instance.exports._initialize as (() => void) | undefined)?.();
    return new Instance(instance.exports as Record<string, any>);
  }

  ask(question: Question, request: unknown): string {
    const bytes = new TextEncoder().encode(JSON.stringify(request));
    const at = this.exports.psic_allocate(bytes.length) as number;
    new Uint8Array(this.exports.memory.buffer, at, bytes.length).set(bytes);
    const answer = this.exports[`psic_${question}`](at, bytes.length) as number;
    const size = this.exports.psic_answer_size() as number;
    const text = new TextDecoder().decode(new Uint8Array(this.exports.memory.buffer, answer, size));
    this.exports.psic_release(at);
    return text;
  }
}

// Base64 of gzip, as it stands in the page.
export async function unpack(text: string): Promise<ArrayBuffer> {
  const packed = atob(text.trim()), bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; ++i) bytes[i] = packed.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}
