import { availableParallelism } from 'node:os'
import pg from 'pg'
import { formatTable } from '../../../support/table.ts'
import { type Cluster, startCluster } from '../../cluster/cluster.ts'
import { clusterUrl } from '../../cluster/postgres.ts'
import { findPrograms } from '../../cluster/programs.ts'
import { prepareDemo, restoreDemo } from '../demo/prepare.ts'
import { demoItems } from '../demo/work-items.ts'
import { load } from '../load.ts'
import { type MeasuredService, productionVariables, startApplication } from '../measured-service.ts'
import { readProcessCpu } from '../process-cpu.ts'
import { median } from '../report.ts'
import { mixed, type WorkItem } from '../work-items.ts'
import { medianCost, scaleToMix } from './items.ts'
import { highestRate, type ItemCost, type Share } from './model.ts'

const names = ['one album', '50 albums', 'related page', 'create track']
const connections = 16
const seconds = 5
const rounds = 3
/** The accepted difference between the model and a measurement, relative. */
const tolerance = 0.2

/** A service to measure, and the processes whose CPU neither the service nor the primary has used. */
interface Deployment {
  readonly name: string
  readonly service: MeasuredService
  readonly processes: number
  readonly helpers: readonly number[]
}

/**
 * Compares the model with the highest rate of three deployments on this machine: one process, two workers, and two
 * processes behind HAProxy and PgBouncer with a replica. Returns false if one differs by more than the tolerance.
 */
export async function checkModel(): Promise<boolean> {
  const programs = await findPrograms()
  if (typeof programs === 'string') throw new Error(programs)
  const cluster = await startCluster(programs, { ...productionVariables, LOG_LEVEL: 'error' })
  const database = new pg.Client(clusterUrl(cluster.primary))
  const started: MeasuredService[] = []
  const start = async (variables: Readonly<Record<string, string>>) => {
    const service = await startApplication(clusterUrl(cluster.primary), variables)
    started.push(service)
    return service
  }
  try {
    await database.connect()
    await prepareDemo(database, clusterUrl(cluster.primary))
    await database.query('vacuum analyze')
    const single = await start({})
    const mix = await measureItems(single, database, cluster)
    const deployments = [
      { name: '1 process', service: single, processes: 1, helpers: [requirePid(cluster.standby)] },
      {
        name: '2 workers',
        service: await start({ WORKERS: '2' }),
        processes: 2,
        helpers: [requirePid(cluster.standby)],
      },
      balancedDeployment(cluster, single),
    ]
    const results: Result[] = []
    for (const deployment of deployments) results.push(await measureDeployment(deployment, mix, database))
    console.log(formatTable([['DEPLOYMENT', 'MODEL', 'MEASURED', 'RATIO'], ...results.map(toRow)]))
    return results.every(({ model, measured }) => Math.abs(measured / model - 1) <= tolerance)
  } finally {
    await database.end()
    for (const service of started) await service.stop()
    await cluster.stop()
  }
}

/** Measures the CPU of each item and of all in turn, on one process. */
async function measureItems(service: MeasuredService, database: pg.Client, { primary }: Cluster): Promise<Share[]> {
  const readCpu = () => readProcessCpu(requirePid(primary))
  const measure = async (item: WorkItem) => {
    const runs = []
    for (let round = 0; round < rounds; round++) {
      await restoreDemo(database)
      runs.push(await load(item, service, connections, seconds, readCpu))
    }
    return medianCost(runs)
  }
  await load(mixOfItems(), service, connections, 20, readCpu)
  const costs: ItemCost[] = []
  for (const item of selectedItems()) {
    costs.push({ name: item.name, reads: item.reads, ...(await measure(item)), statements: 1 })
  }
  const inMix = scaleToMix(costs, await measure(mixOfItems()))
  return inMix.map((item) => ({ item, share: 1 / costs.length }))
}

function balancedDeployment({ url, balancer, pooler, standby }: Cluster, { headers }: MeasuredService): Deployment {
  const read = async () => ({ cpu: 0, heap: 0, rss: 0, count: 0, statements: [] })
  return {
    name: '2 processes, HAProxy, PgBouncer, replica',
    service: { name: 'cluster', url, headers, read, stop: async () => {} },
    processes: 2,
    helpers: [balancer, pooler, standby].map(requirePid),
  }
}

interface Result {
  readonly name: string
  readonly model: number
  readonly measured: number
}

async function measureDeployment(deployment: Deployment, mix: readonly Share[], database: pg.Client): Promise<Result> {
  const { name, service, processes, helpers } = deployment
  await load(mixOfItems(), service, connections, 20)
  const readOther = () => cpuOfThisProcess() + helpers.reduce((sum, pid) => sum + readProcessCpu(pid), 0)
  const rates: number[] = []
  const others: number[] = []
  for (let round = 0; round < rounds; round++) {
    await restoreDemo(database)
    const before = readOther()
    const { perSecond } = await load(mixOfItems(), service, connections, seconds)
    rates.push(perSecond)
    others.push((readOther() - before) / (perSecond * seconds))
  }
  const model = highestRate(mix, { cpus: availableParallelism(), processes, otherCpu: median(others) })
  return { name, model, measured: median(rates) }
}

function toRow({ name, model, measured }: Result): string[] {
  return [name, model.toFixed(0), measured.toFixed(0), (measured / model).toFixed(2)]
}

function selectedItems(): readonly WorkItem[] {
  return demoItems.filter(({ name }) => names.includes(name))
}

function mixOfItems(): WorkItem {
  return mixed(selectedItems(), 1)
}

function cpuOfThisProcess(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function requirePid({ pid }: { readonly pid: number | undefined }): number {
  if (pid === undefined) throw new Error('A process of the cluster has ended.')
  return pid
}
