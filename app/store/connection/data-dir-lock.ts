import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { StartupError } from './startup-error.ts'

export interface Lock {
  readonly release: () => void
}

/**
 * PGlite does not guard its directory, and two processes on one directory silently lose writes.
 * The lock file names its owner as `<pid> <start time>`; it is taken over only from a dead process.
 */
export async function takeLock(directory: string): Promise<Lock> {
  const file = join(directory, 'lock')
  const self = `${process.pid} ${startTime(process.pid)}`
  mkdirOrExplain(directory)
  while (!create(file, self)) {
    const owner = await readOwner(file)
    if (owner === null) continue
    if (isAlive(owner)) throw new StartupError(refusal(directory, owner))
    await takeAway(file, owner)
  }
  return { release: () => read(file) === self && rmSync(file, { force: true }) }
}

function mkdirOrExplain(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true })
  } catch (error) {
    throw new StartupError(`The data directory ${directory} cannot be made: ${(error as Error).message}.`)
  }
}

function create(file: string, content: string): boolean {
  try {
    writeFileSync(file, content, { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw new StartupError(`The lock file ${file} cannot be written: ${(error as Error).message}.`)
  }
}

/** The file is empty for an instant between its making and its writing. */
async function readOwner(file: string): Promise<string | null> {
  const owner = read(file)
  if (owner !== '') return owner
  await pause(200)
  return read(file)
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

function isAlive(owner: string): boolean {
  const [pid = 0, started] = owner.split(' ')
  try {
    process.kill(Number(pid) || Number.NaN, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return startTime(Number(pid)) === started
}

/** Clock ticks since boot, where /proc tells it: a process that got the number of a dead one has another start time. */
function startTime(pid: number): string {
  const stat = read(`/proc/${pid}/stat`) ?? ''
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields[0] === 'Z' ? 'ended' : (fields[19] ?? '')
}

/** Only the holder of the guard removes a lock, so nobody removes the one that another has just taken over. */
async function takeAway(file: string, owner: string): Promise<void> {
  const guard = `${file}.takeover`
  if (!create(guard, '')) return waitFor(guard)
  if (read(file) === owner) rmSync(file, { force: true })
  rmSync(guard, { force: true })
}

/** It is held for an instant; an old one was left behind by a process that was killed in that instant. */
async function waitFor(guard: string): Promise<void> {
  const made = statSync(guard, { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (made > 0 && Date.now() - made > 5_000) rmSync(guard, { force: true })
  await pause(50)
}

function refusal(directory: string, owner: string): string {
  const pid = Number.parseInt(owner, 10)
  const who = pid === process.pid ? `this process (${pid}) already` : `process ${pid}`
  return `The data directory ${directory} is in use by ${who}; stop it, or set DATA_DIR to another directory.`
}
