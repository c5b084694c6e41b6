import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { StartupError } from '#store/connection/startup-error.ts'

/**
 * Locks the data directory: PGlite does not, and two processes on one directory silently lose writes. The lock file
 * contains its owner as `<pid> <start time>` and is taken over only from a dead process.
 */
export async function takeLock(directory: string): Promise<{ readonly release: () => void }> {
  const file = join(directory, 'lock')
  const self = `${process.pid} ${startTime(process.pid)}`
  createDirectory(directory)
  while (!createFile(file, self)) {
    const owner = await readOwner(file)
    if (owner === null) continue
    if (isAlive(owner)) throw new StartupError(inUseMessage(directory, owner))
    await removeStale(file, owner)
  }
  return { release: () => read(file) === self && rmSync(file, { force: true }) }
}

function createDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true })
  } catch (error) {
    throw new StartupError(`The data directory ${directory} cannot be created: ${(error as Error).message}.`)
  }
}

/** Returns false if the file exists. */
function createFile(file: string, content: string): boolean {
  try {
    writeFileSync(file, content, { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw new StartupError(`The lock file ${file} cannot be written: ${(error as Error).message}.`)
  }
}

/** Retries once for an empty file: its creation and its first write are not atomic. */
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

/** Returns the start time in clock ticks since boot, to distinguish processes with the same pid; '' without /proc. */
function startTime(pid: number): string {
  const stat = read(`/proc/${pid}/stat`) ?? ''
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields[0] === 'Z' ? 'ended' : (fields[19] ?? '')
}

/** Removes a stale lock under a second lock file, so that no process removes one that was just taken over. */
async function removeStale(file: string, owner: string): Promise<void> {
  const guard = `${file}.takeover`
  if (!createFile(guard, '')) return waitForGuard(guard)
  if (read(file) === owner) rmSync(file, { force: true })
  rmSync(guard, { force: true })
}

/** Waits for another process to remove the guard; removes one that is older than 5 s, left by a killed process. */
async function waitForGuard(guard: string): Promise<void> {
  const createdAt = statSync(guard, { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (createdAt > 0 && Date.now() - createdAt > 5_000) rmSync(guard, { force: true })
  await pause(50)
}

function inUseMessage(directory: string, owner: string): string {
  const pid = Number.parseInt(owner, 10)
  const user = pid === process.pid ? `this process (${pid}) already` : `process ${pid}`
  return `The data directory ${directory} is in use by ${user}; stop it, or set DATA_DIR to another directory.`
}
