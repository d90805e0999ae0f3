// psic in a worker: what takes too long can be stopped.
import {Instance, type Question} from './engine_core';

let module: WebAssembly.Module|null = null;
let instance: Instance|null = null;

self.onmessage = async (
    event: MessageEvent<{bytes?: ArrayBuffer; id?: number; question?: Question; request?: unknown}>) => {
  const {bytes, id, question, request} = event.data;
  const post = (message: unknown) => (self as unknown as Worker).postMessage(message);
  try {
    if (bytes) {
      module = await WebAssembly.compile(bytes);
      instance = await Instance.make(module);
      post({ready: true});
      return;
    }
    instance ??= await Instance.make(module!);
    post({id, answer: instance.ask(question!, request)});
  } catch (error) {
    // What is left of the instance is not to be trusted.
    instance = null;
    post({id, error: String(error), ready: bytes ? false : undefined});
  }
};
