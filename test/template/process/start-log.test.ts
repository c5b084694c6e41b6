import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { createGreeting } from '#app/process/greeting.ts'
import { createLogger } from '#app/process/logger.ts'
import { launch } from '#test/template/support/service.ts'

const address = { address: '127.0.0.1', port: 3000, paths: ['/'] }

describe('The log of the start', () => {
  for (const logLevel of ['info', 'silent']) {
    it(`is one JSON object with the URL when LOG_FORMAT is json and LOG_LEVEL is ${logLevel}`, () => {
      const written: string[] = []
      const logger = createLogger({ logLevel, logFormat: 'json' }, { write: (line) => void written.push(line) })
      createGreeting({ logFormat: 'json' }, logger)(address, true)
      expect(written).to.have.length(1)
      expect(JSON.parse(written[0] ?? '')).to.include({
        level: 30,
        url: 'http://127.0.0.1:3000',
        seeded: true,
        msg: 'Listening on http://127.0.0.1:3000.',
      })
    })
  }
})

describe('The output of a process in production', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'start-log-'))
  after(() => rmSync(dataDir, { recursive: true, force: true }))

  it('has only JSON objects from the start to the end of a graceful shutdown', async () => {
    const { child, ended } = launch({
      NODE_ENV: 'production',
      LOG_LEVEL: 'info',
      DATA_DIR: dataDir,
      BASE_URI: 'https://api.example.com',
      STOP_DELAY_SECONDS: '0',
      JWT_SECRET: 'a secret of at least 32 characters',
      JWT_ISSUER: 'https://issuer.example.com',
      JWT_AUDIENCE: 'https://api.example.com',
    })
    child.stdout?.on('data', (chunk) => {
      if (String(chunk).includes('Listening on')) child.kill('SIGTERM')
    })
    const output = await text(child.stdout as NodeJS.ReadableStream)
    const { code, stderr } = await ended
    expect([code, stderr]).to.deep.equal([0, ''])
    const lines = output.trimEnd().split('\n')
    const messages = lines.map((line): string => JSON.parse(line).msg)
    expect(messages.map((message) => message.replace(/http:\S+\./, 'URL').replace(/: .*/, ''))).to.deep.equal([
      'DATABASE_URL is not set',
      'Listening on URL',
      'Graceful shutdown started; running requests and jobs are finished.',
      'Graceful shutdown finished; the process exits.',
    ])
  })
})
