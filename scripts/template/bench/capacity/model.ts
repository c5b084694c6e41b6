/** The measured cost of one kind of request. */
export interface ItemCost {
  readonly name: string
  readonly reads: boolean
  /** CPU milliseconds of the service. */
  readonly cpu: number
  /** CPU milliseconds of PostgreSQL. */
  readonly databaseCpu: number
  readonly statements: number
}

/** An item and its part of all requests. */
export interface Share {
  readonly item: ItemCost
  readonly share: number
}

export interface Demand {
  /** Requests per second. */
  readonly rate: number
  readonly mix: readonly Share[]
  /** The part of a CPU that may be busy: the rest is for peaks. */
  readonly utilization: number
  /** CPUs of one database server. */
  readonly databaseCpus: number
  /** Milliseconds of the network between the service and the database, there and back. */
  readonly roundTrip: number
  /** Megabytes of one process. */
  readonly processMemory: number
}

interface Capacity {
  /** CPUs that are busy. */
  readonly serviceCpus: number
  readonly primaryCpus: number
  readonly processes: number
  readonly replicas: number
  /** Whether the writes alone are more than one server can do. */
  readonly exceedsPrimary: boolean
  /** Connections that are in use at the same time, on average. */
  readonly busyConnections: number
  /** DATABASE_POOL_SIZE of each process. */
  readonly poolSize: number
  /** Connections of a pooler to the primary. */
  readonly poolerSize: number
  /** Megabytes of all processes. */
  readonly memory: number
}

/** Peaks of connections in use, relative to the average: with random arrivals twice the average is rarely exceeded. */
const connectionPeak = 2

/** A process costs little CPU but needs a few connections, for parallel includes, jobs and writes. */
const minPoolSize = 4

/** Computes what a service needs for a demand, from the measured cost of its requests. */
export function capacityFor(demand: Demand): Capacity {
  const { rate, mix, utilization, databaseCpus, roundTrip, processMemory } = demand
  const perSecond = (costOf: (item: ItemCost) => number) =>
    (rate * mix.reduce((sum, { item, share }) => sum + share * costOf(item), 0)) / 1000
  const serviceCpus = perSecond(({ cpu }) => cpu)
  const readCpus = perSecond(({ reads, databaseCpu }) => (reads ? databaseCpu : 0))
  const writeCpus = perSecond(({ reads, databaseCpu }) => (reads ? 0 : databaseCpu))
  const processes = Math.max(1, Math.ceil(serviceCpus / utilization))
  const replicas = replicasFor(readCpus, writeCpus, databaseCpus * utilization)
  // A connection waits for its statements, and for the network between them.
  const busyConnections = perSecond(({ databaseCpu, statements }) => databaseCpu + statements * roundTrip)
  return {
    serviceCpus,
    primaryCpus: writeCpus + (replicas > 0 ? 0 : readCpus),
    processes,
    replicas,
    exceedsPrimary: writeCpus > databaseCpus * utilization,
    busyConnections,
    poolSize: Math.max(minPoolSize, Math.ceil((busyConnections * connectionPeak) / processes)),
    poolerSize: Math.max(databaseCpus * 2, Math.ceil(busyConnections * connectionPeak)),
    memory: processes * processMemory,
  }
}

/** No replicas if the primary can do all reads. A replica replays all writes, at most at the cost of the primary. */
function replicasFor(readCpus: number, writeCpus: number, usableCpus: number): number {
  if (readCpus + writeCpus <= usableCpus) return 0
  const forReads = Math.max(usableCpus - writeCpus, usableCpus / 10)
  return Math.ceil(readCpus / forReads)
}

/** The machine of a measurement, on which service, database and load generator share the CPUs. */
export interface Machine {
  readonly cpus: number
  readonly processes: number
  /** CPU milliseconds of the load generator and of a proxy per request. */
  readonly otherCpu: number
}

/** The highest rate of a machine: a process uses at most one CPU, and all processes together those of the machine. */
export function highestRate(mix: readonly Share[], { cpus, processes, otherCpu }: Machine): number {
  const cpu = mix.reduce((sum, { item, share }) => sum + share * item.cpu, 0)
  const databaseCpu = mix.reduce((sum, { item, share }) => sum + share * item.databaseCpu, 0)
  return Math.min((processes * 1000) / cpu, (cpus * 1000) / (cpu + databaseCpu + otherCpu))
}
