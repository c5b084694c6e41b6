import { longestSilence } from './send.ts'

/** The fields of an event by name, of an id without an event, or of a heart-beat: the name of a comment is empty. */
export type Block = ReadonlyMap<string, string>

/**
 * Reads the events and heart-beats of a response until the connection ends or is silent for too long. Throws the reason of an
 * aborted signal.
 */
export async function* readBlocks(response: Response, signal: AbortSignal): AsyncGenerator<Block> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const cancel = () => void reader.cancel().catch(() => {})
  const decoder = new TextDecoder()
  const parse = createParser()
  signal.addEventListener('abort', cancel)
  try {
    for (;;) {
      signal.throwIfAborted()
      const timer = setTimeout(cancel, longestSilence)
      const lost = { done: true, value: undefined }
      const { done, value } = await reader.read().catch(() => lost)
      clearTimeout(timer)
      if (done) return signal.throwIfAborted()
      yield* parse(decoder.decode(value, { stream: true }))
    }
  } finally {
    signal.removeEventListener('abort', cancel)
    cancel()
  }
}

/** Creates a function that takes the next text of a stream, and returns the blocks that it completes. */
function createParser(): (text: string) => readonly Block[] {
  let block = new Map<string, string>()
  let line: string[] = []
  let endsWithCr = false
  return (text) => {
    const blocks: Block[] = []
    const lines = (endsWithCr ? text.replace(/^\n/, '') : text).split(/\r\n|\r|\n/)
    endsWithCr = text ? text.endsWith('\r') : endsWithCr
    for (const [index, part] of lines.entries()) {
      line.push(part)
      if (index === lines.length - 1) break // continues in the next text
      const whole = line.join('')
      line = []
      if (whole) addField(block, whole)
      else {
        if (['data', 'id', ''].some((name) => block.has(name))) blocks.push(block)
        block = new Map()
      }
    }
    return blocks
  }
}

function addField(block: Map<string, string>, line: string): void {
  const [colon, before] = [line.indexOf(':'), block.get('data')]
  if (colon < 0) return
  const name = line.slice(0, colon)
  const value = line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
  block.set(name, name === 'data' && before !== undefined ? `${before}\n${value}` : value)
}
