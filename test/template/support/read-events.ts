/** An event of a stream. */
export interface SentEvent {
  readonly event: string
  readonly id: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read documents without types
  readonly data: any
}

export interface OpenedStream {
  readonly status: number
  readonly headers: Headers
  /** The body of an error response. */
  readonly text: string
  /** Waits for the next event. Null after the end. */
  next(): Promise<SentEvent | null>
  close(): void
}

/** Opens a stream of server-sent events. */
export async function openStream(url: string, headers: Readonly<Record<string, string>> = {}): Promise<OpenedStream> {
  const aborter = new AbortController()
  const response = await fetch(url, { headers: { accept: 'text/event-stream', ...headers }, signal: aborter.signal })
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  const text = isStream ? '' : await response.text()
  const events = isStream && response.body ? readEvents(response.body) : null
  return {
    status: response.status,
    headers: response.headers,
    text,
    next: async () => (await events?.next())?.value ?? null,
    close: () => aborter.abort(),
  }
}

async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<SentEvent, null> {
  let text = ''
  const decoder = new TextDecoder()
  try {
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true })
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const event = parse(text.slice(0, end))
        text = text.slice(end + 2)
        if (event) yield event
      }
    }
  } catch (error) {
    if ((error as Error).name !== 'AbortError' && !(error instanceof TypeError)) throw error
  }
  return null
}

function parse(block: string): SentEvent | null {
  const fields = new Map(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const data = fields.get('data')
  return data === undefined
    ? null
    : { event: fields.get('event') ?? '', id: fields.get('id') ?? '', data: JSON.parse(data) }
}
