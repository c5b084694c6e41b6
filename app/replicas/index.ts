// Reads of replicas with read-your-writes consistency. Loaded only if there are replicas.

export type { ReplicaState } from './replica-state.ts'
export { openReplicas } from './replicas.ts'
