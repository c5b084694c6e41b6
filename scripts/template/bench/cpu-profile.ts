import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { load } from './load.ts'
import type { MeasuredService } from './measured-service.ts'
import type { WorkItem } from './work-items.ts'

/** A function of a CPU profile. Functions of the runtime have no URL, or one that begins with `node:`. */
export interface Frame {
  readonly functionName: string
  readonly url: string
  readonly lineNumber: number
}

/** Microseconds in a function itself, without those that it calls. */
interface SelfTime {
  readonly frame: Frame
  /** The function of a file that has called it, directly or through functions of the runtime; the frame if it is one. */
  readonly caller: Frame
  readonly time: number
}

interface Profile {
  readonly nodes: readonly { id: number; callFrame: Frame; children?: readonly number[] }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

/** Reads a CPU profile: one entry for each function and the calls that led to it. */
export function readProfile(file: string): SelfTime[] {
  const { nodes, samples, timeDeltas }: Profile = JSON.parse(readFileSync(file, 'utf8'))
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)))
  const callerOf = (id: number): Frame => {
    const frame = frames.get(id) as Frame
    const parent = parents.get(id)
    return parent === undefined || (frame.url && !frame.url.startsWith('node:')) ? frame : callerOf(parent)
  }
  const times = new Map<number, number>()
  for (const [index, id] of samples.entries()) times.set(id, (times.get(id) ?? 0) + (timeDeltas[index] ?? 0))
  return [...times].map(([id, time]) => ({ frame: frames.get(id) as Frame, caller: callerOf(id), time }))
}

/**
 * Prints for each service which part of its CPU is spent in some files, and in the functions of the runtime that they call. Both
 * are parts of one profile, so that it does not matter how fast the machine is. Garbage of the files is not part of it.
 */
export async function printShares(
  item: WorkItem,
  services: readonly MeasuredService[],
  files: RegExp,
  connections: string,
): Promise<void> {
  for (const service of services) {
    const share = await measureShare(item, service, files, Number(connections))
    console.log(`${item.name}: ${(share * 100).toFixed(1)} % of the CPU in ${files.source}`)
  }
}

async function measureShare(
  item: WorkItem,
  service: MeasuredService,
  files: RegExp,
  connections: number,
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'profile-'))
  try {
    const file = join(folder, 'service.cpuprofile')
    await service.read({ profile: 'start' })
    await load(item, service, connections, profiledSeconds)
    await service.read({ profile: { file } })
    const busy = readProfile(file).filter(({ frame }) => !withoutCaller.has(frame.functionName))
    const sum = (times: readonly SelfTime[]) => times.reduce((total, { time }) => total + time, 0)
    return sum(busy.filter(({ caller }) => files.test(caller.url))) / sum(busy)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const profiledSeconds = 10

/** What a profile cannot assign to a function. */
const withoutCaller = new Set(['(idle)', '(program)', '(garbage collector)', '(root)'])
