import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { takeLock } from '#app/embedded/data-dir-lock.ts'
import { StartupError } from '#store/connection/startup-error.ts'

const root = resolve(import.meta.dirname, '../../..')

describe('lock of the data directory', () => {
  let directory: string
  const children: ChildProcess[] = []
  const refusal = (pid?: number) =>
    `The data directory ${directory} is in use by process ${pid}; stop it, or set DATA_DIR to another directory.`

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'lock-'))
  })
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL')
    rmSync(directory, { recursive: true })
  })

  async function hold(): Promise<{ child: ChildProcess; answer: string }> {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'fixtures/hold-lock.ts'), directory])
    children.push(child)
    const [answer] = await once(child.stdout, 'data')
    return { child, answer: String(answer).trim() }
  }

  it('throws a StartupError that names the directory and the owner in a second process', async () => {
    const first = await hold()
    const second = await hold()
    expect(first.answer).to.equal('held')
    expect(second.answer).to.equal(refusal(first.child.pid))
  })

  it('is released when its owner exits', async () => {
    const { child } = await hold()
    child.stdin?.end()
    await once(child, 'exit')
    expect(existsSync(join(directory, 'lock'))).to.equal(false)
    expect((await hold()).answer).to.equal('held')
  })

  it('is taken over from a killed process', async () => {
    const { child } = await hold()
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(existsSync(join(directory, 'lock'))).to.equal(true)
    expect((await hold()).answer).to.equal('held')
  })

  // The start time of a process is read from /proc.
  if (existsSync('/proc/self/stat')) {
    it('is taken over when another process has the pid of the dead owner', async () => {
      writeFileSync(join(directory, 'lock'), `${process.pid} 1`)
      expect((await hold()).answer).to.equal('held')
    })
  }

  it('is taken over by exactly one of several processes that find a dead owner', async () => {
    writeFileSync(join(directory, 'lock'), '999999999 1')
    const answers = await Promise.all(Array.from({ length: 5 }, hold))
    expect(answers.filter(({ answer }) => answer === 'held')).to.have.length(1)
  })

  it('is refused to the process that already holds it', async () => {
    const lock = await takeLock(directory)
    const error = await takeLock(directory).catch((error) => error)
    expect(error).to.be.instanceOf(StartupError)
    expect(error.message).to.contain(`this process (${process.pid}) already`)
    lock.release()
    expect(existsSync(join(directory, 'lock'))).to.equal(false)
  })

  it('does not remove a lock file of another owner on release', async () => {
    const lock = await takeLock(directory)
    writeFileSync(join(directory, 'lock'), 'another')
    lock.release()
    expect(readFileSync(join(directory, 'lock'), 'utf8')).to.equal('another')
  })

  it('makes scripts fail while the server runs', async () => {
    const lock = await takeLock(directory)
    const env = { ...process.env, DATA_DIR: directory, DATABASE_URL: '', NODE_ENV: 'test' }
    const script = spawn(process.execPath, [join(root, 'scripts/migrate.ts')], { env, cwd: root })
    const [error, [code]] = await Promise.all([text(script.stderr), once(script, 'exit')])
    lock.release()
    expect(error.trim()).to.equal(refusal(process.pid))
    expect(code).to.equal(1)
  })
})
