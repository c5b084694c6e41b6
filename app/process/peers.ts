import cluster from 'node:cluster'
import type { Peers } from '#store'

interface PeerMessage {
  readonly peers: unknown
}

/** Returns the other workers of the cluster, reached through the primary process; undefined outside of a cluster. */
export function workerPeers(): Peers | undefined {
  if (!cluster.isWorker) return undefined
  return {
    broadcast: (content) => void process.send?.({ peers: content } satisfies PeerMessage),
    onMessage: (listener) => void process.on('message', (message) => isPeerMessage(message) && listener(message.peers)),
  }
}

/** Forwards the peer messages of each worker to the other workers; called in the primary process. */
export function forwardPeerMessages(): void {
  cluster.on('message', (sender, message) => {
    if (!isPeerMessage(message)) return
    for (const worker of Object.values(cluster.workers ?? {})) {
      if (worker && worker !== sender && worker.isConnected()) worker.send(message)
    }
  })
}

function isPeerMessage(message: unknown): message is PeerMessage {
  return typeof message === 'object' && message !== null && 'peers' in message
}
