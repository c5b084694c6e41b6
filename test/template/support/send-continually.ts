import { get } from 'node:http'

export interface Requests {
  open: number
  completed: number
  readonly failures: Set<string>
}

/** Sends reads, each on a new connection, in 16 loops, until it is stopped or the port is closed. */
export function sendContinually(url: string): { requests: Requests; refused: Promise<unknown>; stop: () => void } {
  const requests: Requests = { open: 0, completed: 0, failures: new Set() }
  let isStopped = false
  const send = () =>
    new Promise<void>((resolve) => {
      requests.open++
      const sent = get(`${url}/albums?include=artist,tracks`, { agent: false }, (response) => {
        response.resume().once('end', () => requests.completed++)
      })
      sent.once('error', ({ code }: NodeJS.ErrnoException) => requests.failures.add(String(code)))
      sent.once('close', () => {
        requests.open--
        resolve()
      })
    })
  const loop = async () => {
    while (!isStopped && !requests.failures.has('ECONNREFUSED')) await send()
  }
  const refused = Promise.all(Array.from({ length: 16 }, loop))
  const stop = () => {
    isStopped = true
  }
  return { requests, refused, stop }
}
