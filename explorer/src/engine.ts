// Questions to psic in the page: in a worker, or, where a page may have none, in the page itself.
import {Instance, unpack, type Question} from './engine_core';

declare const ENGINE_WORKER: string;
const PATIENCE = 20_000;

export class WasmEngine {
  private worker: Worker|null = null;
  private local: Instance|null = null;
  private next = 1;
  private readonly waiting = new Map < number, {
    resolve: (text: string) => void;
    reject: (error: Error) => void;
    timer: number
  }
  >();
  private ready: Promise<void>|null = null;

  constructor(private readonly packed: string) {}

  start(): Promise<void> {
    this.ready ??= this.open();
    return this.ready;
  }

  private async open(): Promise<void> {
    const bytes = await unpack(this.packed);
    if (await this.inWorker(bytes)) return;
    this.worker = null;
    this.local = await Instance.make(await WebAssembly.compile(bytes));
  }

  private inWorker(bytes: ArrayBuffer): Promise<boolean> {
    return new Promise(resolve => {
      try {
        const worker = new Worker(URL.createObjectURL(new Blob([ENGINE_WORKER], {type: 'text/javascript'})));
        worker.onerror = () => resolve(false);
        worker.onmessage = event => {
          const {ready, id, answer, error} = event.data;
          if (ready !== undefined) {
            this.worker = ready ? worker : null;
            resolve(ready);
            return;
          }
          const item = this.waiting.get(id);
          if (!item) return;
          this.waiting.delete(id);
          clearTimeout(item.timer);
          if (error !== undefined)
            item.reject(new Error(`psic ran out of memory, or has a bug (${error})`));
          else
            item.resolve(answer);
        };
        worker.postMessage({bytes});
      } catch {
        resolve(false);
      }
    });
  }

  async ask<T>(question: Question, request: unknown): Promise<T> {
    await this.start();
    const worker = this.worker;
    if (!worker) {
      try {
        return JSON.parse(this.local!.ask(question, request)) as T;
      } catch (error) {
        this.ready = null;
        throw new Error(`psic ran out of memory, or has a bug (${error})`);
      }
    }
    const text = await new Promise<string>((resolve, reject) => {
      const id = this.next++;
      const timer = setTimeout(() => {
                      // Another instance for the next question.
                      worker.terminate();
                      this.worker = null;
                      this.ready = null;
                      for (const item of this.waiting.values())
                        item.reject(new Error(`stopped after ${PATIENCE / 1000} s`));
                      this.waiting.clear();
                    }, PATIENCE) as unknown as number;
      this.waiting.set(id, {resolve, reject, timer});
      worker.postMessage({id, question, request});
    });
    return JSON.parse(text) as T;
  }
}
