import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Restarts, restartOnChange } from '../../../scripts/dev/restart-on-change.ts'

describe('npm run dev', () => {
  let folder: string
  let program: Restarts
  let printed: string[]
  let nextStart: () => Promise<void>
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'dev-'))
    mkdirSync(join(folder, 'resources'))
    write('resources/albums.ts')
    printed = []
    let started = Promise.withResolvers<void>()
    nextStart = () => started.promise
    program = restartOnChange({
      args: ['-e', `console.log('started'); process.on('SIGTERM', () => process.exit()); setInterval(() => {}, 1000)`],
      folders: [join(folder, 'resources')],
      files: [join(folder, '.env')],
      stdio: 'pipe',
      print: (line) => printed.push(line),
      onSpawn: ({ stdout }) =>
        stdout?.once('data', () => {
          const { resolve } = started
          started = Promise.withResolvers()
          resolve()
        }),
    })
    await nextStart()
  })
  afterEach(async () => {
    program.stop()
    await program.stopped
    rmSync(folder, { recursive: true })
  })

  it('restarts the service after each of two saves by rename of the same file', async () => {
    for (const _ of [1, 2]) {
      const restarted = nextStart()
      write('resources/albums.ts~')
      renameSync(join(folder, 'resources/albums.ts~'), join(folder, 'resources/albums.ts'))
      await restarted
    }
    expect(printed).to.have.length(2)
    expect(printed[1]).to.match(/^Changed: .*resources\/albums\.ts$/)
  })

  it('restarts the service after a new folder is created, and after a file in it changes', async () => {
    let restarted = nextStart()
    mkdirSync(join(folder, 'resources/people/migrations'), { recursive: true })
    await restarted
    restarted = nextStart()
    write('resources/people/migrations/create.ts')
    await restarted
    expect(printed.at(-1)).to.match(/people\/migrations\/create\.ts$/)
  })

  it('restarts the service after a folder is removed and created again', async () => {
    for (const action of [
      () => mkdirSync(join(folder, 'resources/people')),
      () => write('resources/people/entity.ts'),
    ]) {
      const restarted = nextStart()
      action()
      await restarted
    }
    rmSync(join(folder, 'resources/people'), { recursive: true })
    mkdirSync(join(folder, 'resources/people'))
    await nextStart()
    const restarted = nextStart()
    write('resources/people/resource.ts')
    await restarted
    expect(printed.at(-1)).to.match(/people\/resource\.ts$/)
  })

  it('restarts the service after .env changes, and not after a test changes', async () => {
    const restarted = nextStart()
    write('resources/albums.test.ts')
    write('.env')
    await restarted
    expect(printed).to.have.length(1)
    expect(printed[0]).to.match(/\.env$/)
  })

  it('starts the service with the next change after it has failed', async () => {
    program.stop()
    await program.stopped
    const failed = Promise.withResolvers<void>()
    const started: number[] = []
    program = restartOnChange({
      args: ['-e', 'process.exit(1)'],
      folders: [join(folder, 'resources')],
      files: [],
      stdio: 'pipe',
      print: (line) => {
        if (line.includes('exited with 1')) started.push(1)
        if (started.length === 1 && line.includes('exited')) write('resources/albums.ts')
        if (started.length === 2) failed.resolve()
      },
    })
    await failed.promise
    expect(started).to.have.length(2)
  })

  function write(file: string): void {
    writeFileSync(join(folder, file), '')
  }
})
