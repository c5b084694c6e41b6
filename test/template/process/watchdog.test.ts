import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect } from 'chai'

describe('The watchdog', () => {
  it('ends a process whose event loop is blocked, with a message', () => {
    const { signal, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, 'fixtures/blocked.ts')])
    expect(signal).to.equal('SIGKILL')
    expect(String(stderr)).to.equal(
      'The event loop has been blocked for 2 seconds; the process ends. Is the disk full?\n',
    )
  })

  it('does not keep a process alive', () => {
    const file = join(import.meta.dirname, 'fixtures/idle.ts')
    const { status } = spawnSync(process.execPath, [file])
    expect(status).to.equal(0)
  })
})
