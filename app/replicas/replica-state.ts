declare module '#kernel/store' {
  interface Store {
    /** The state of the read replicas, if there are any. */
    replicas?(): readonly ReplicaState[]
  }
}

export interface ReplicaState {
  /** Host and port. */
  readonly name: string
  /** Only an available replica serves reads. */
  readonly state: 'available' | 'lagging' | 'unreachable'
  /** The replication lag in seconds, up to the largest that is allowed; 0 while the replica is unreachable. */
  readonly lag: number
}
