import cluster from 'node:cluster'
import type { Peers } from '#store'

interface Message {
  readonly peers: unknown
}

/** The other workers, by way of the process above them; none of a process by itself. */
export function peersOfWorker(): Peers | undefined {
  if (!cluster.isWorker) return undefined
  return {
    tell: (said) => void process.send?.({ peers: said } satisfies Message),
    hear: (listener) => void process.on('message', (message) => isOfPeers(message) && listener(message.peers)),
  }
}

/** In the process above: what one worker says, the others hear. */
export function passOn(): void {
  cluster.on('message', (from, message) => {
    if (!isOfPeers(message)) return
    for (const worker of Object.values(cluster.workers ?? {})) {
      if (worker && worker !== from && worker.isConnected()) worker.send(message)
    }
  })
}

function isOfPeers(message: unknown): message is Message {
  return typeof message === 'object' && message !== null && 'peers' in message
}
