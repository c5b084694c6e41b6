// Reads of replicas with read-your-writes consistency. Loaded only if there are replicas.

export { openReplicas } from './replicas.ts'
