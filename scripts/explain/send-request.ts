import { request as httpRequest, type IncomingMessage } from 'node:http'

export interface RequestToExplain {
  readonly method: string
  /** Path and query string. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

export interface Answer {
  readonly status: number
  /** The body of an error; empty for other responses. */
  readonly error: string
}

const mediaType = 'application/vnd.api+json'

/** Reads `GET /albums?sort=title`; the method is GET by default. Returns null if the path does not start with a slash. */
export function readRequestLine(line: string): Pick<RequestToExplain, 'method' | 'path'> | null {
  const [, method = 'GET', path] = /^(?:([A-Za-z]+) )?(\/.*)$/.exec(line.trim()) ?? []
  return path === undefined ? null : { method: method.toUpperCase(), path }
}

/** Sends the request to this machine. Encodes characters that a shell argument contains and a URL must not. */
export function sendRequest(port: number, { method, path, headers, body }: RequestToExplain): Promise<Answer> {
  const { pathname, search } = new URL(path, 'http://localhost')
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: '127.0.0.1',
        port,
        method,
        path: pathname + search,
        headers: { accept: mediaType, ...(body !== null && { 'content-type': mediaType }), ...headers },
      },
      (response) => readAnswer(response).then(resolve, reject),
    )
    request.on('error', reject)
    request.end(body ?? undefined)
  })
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  const status = response.statusCode ?? 0
  return { status, error: status >= 400 ? Buffer.concat(chunks).toString() : '' }
}
