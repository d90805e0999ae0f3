// The worker around layout().
import {layout, type LayoutInput} from './layout';

self.onmessage = (event: MessageEvent<{key: string; input: LayoutInput}>) => {
  (self as unknown as Worker).postMessage({key: event.data.key, result: layout(event.data.input)});
};
