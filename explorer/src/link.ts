// A program in a link: deflate, base64 with the letters that an address may have.

async function through(
    bytes: Uint8Array, stream: CompressionStream|DecompressionStream): Promise<Uint8Array> {
  return new Uint8Array(
      await new Response(new Blob([bytes as BlobPart]).stream().pipeThrough(stream as any)).arrayBuffer());
}
export async function pack(text: string): Promise<string> {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream('deflate-raw'));
  let letters = '';
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return btoa(letters).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}
export async function unpackText(text: string): Promise<string> {
  const letters = atob(text.replace(/-/g, '+').replace(/_/g, '/'));
  return new TextDecoder().decode(
      await through(Uint8Array.from(letters, c => c.charCodeAt(0)), new DecompressionStream('deflate-raw')));
}
