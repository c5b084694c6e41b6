import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import type { Client } from '#test/support/client.ts'
import { launch, startService } from '#test/template/support/catalogue-service.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'
import type { Ending, Service } from '#test/template/support/service.ts'
import { freePort } from '../../../../scripts/support/free-port.ts'
import { unset } from '../../../../scripts/support/unset.ts'

// The service as `npm start` runs it, in its own process with its own embedded database.

describeIf(!hasServer)('npm start', () => {
  let dataDir: string
  let service: Service
  before(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'start-'))
    service = await startService({ DATA_DIR: dataDir, LOG_FORMAT: 'text' })
  })
  after(async () => {
    await service.kill()
    rmSync(dataDir, { recursive: true, force: true })
  })

  it('prints its address and the URLs of the home page, the documentation and three collections, all of which return 200', async () => {
    const [first = '', ...urls] = service.printed.trimEnd().split('\n')
    expect(first).to.match(/^The seeds are loaded\. Listening on http:\/\/127\.0\.0\.1:\d+\. Try:$/)
    const paths = urls.map((url) => new URL(url.trim()).pathname)
    expect(paths).to.deep.equal(['/', '/docs', '/albums', '/tracks', '/playlists'])
    for (const url of urls) {
      const { status } = await service.client.get(url.trim())
      expect(status, url).to.equal(200)
    }
  })

  it('serves the albums 1 and 2 with both artists', async () => {
    const { status, body } = await service.client.get('/albums')
    expect(status).to.equal(200)
    expect(body.data.map(({ id }: { id: string }) => id)).to.deep.equal(['1', '2'])
    expect(body.included.map(({ type, id }: { type: string; id: string }) => `${type} ${id}`)).to.have.members([
      'artists 1',
      'artists 2',
    ])
  })

  it('fits into a container of 1 GB: its peak memory is below 900 MB', async function () {
    const status = `/proc/${service.pid}/status`
    if (!existsSync(status)) this.skip()
    const [, peak] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(status, 'utf8')) ?? []
    expect(Number(peak) / 1024).to.be.within(1, 900)
  })

  it('exits with 1 when another process uses the data directory', async () => {
    const { code, stderr } = await launch({ DATA_DIR: dataDir }).ended
    expect(stderr).to.equal(
      `The data directory ${dataDir} is in use by process ${service.pid}; stop it, or set DATA_DIR to another directory.\n`,
    )
    expect(code).to.equal(1)
  })

  it('exits with 0 on SIGTERM, and keeps written rows for the next start', async () => {
    const id = await createArtist(service.client, 'Kept')
    expect(await service.kill('SIGTERM')).to.equal(0)
    service = await startService({ DATA_DIR: dataDir, LOG_FORMAT: 'text' })
    expect(service.printed).to.match(/^Listening on /)
    const { body } = await service.client.get(`/artists/${id}`)
    expect(body.data.attributes.name).to.equal('Kept')
  })

  it('keeps acknowledged rows when it is killed', async () => {
    const acknowledged: string[] = []
    for (const name of ['First', 'Second', 'Third']) acknowledged.push(await createArtist(service.client, name))
    await service.kill()
    service = await startService({ DATA_DIR: dataDir })
    for (const id of acknowledged) expect((await service.client.get(`/artists/${id}`)).status, id).to.equal(200)
  })

  it('stops gracefully when npm receives SIGTERM, which its shell does not pass on', async () => {
    await service.kill('SIGTERM')
    const env = { PATH: process.env.PATH, ...unset(), PORT: '0', LOG_FORMAT: 'text', DATA_DIR: dataDir }
    const npm = spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] })
    let printed = ''
    npm.stdout.on('data', (chunk) => {
      const isListening = /Listening on/.test(printed)
      printed += chunk
      if (!isListening && /Listening on/.test(printed)) npm.kill('SIGTERM')
    })
    await once(npm.stdout, 'close') // when the service has ended, too
    expect(printed).to.include('Graceful shutdown finished; the process exits.')
    service = await startService({ DATA_DIR: dataDir })
  })

  it('exits with 1 when the port is in use', async () => {
    await service.kill('SIGTERM')
    const occupant = createServer()
    const port = await listen(occupant)
    const { code, stderr } = await launch({ DATA_DIR: dataDir, PORT: String(port) }).ended
    occupant.close()
    expect(stderr).to.equal(`listen EADDRINUSE: address already in use 127.0.0.1:${port}; set PORT to another port.\n`)
    expect(code).to.equal(1)
  })
})

describeIf(!hasServer)('npm start with an invalid environment', () => {
  let silent: Server
  let refusedPort: number
  let unanswered: Promise<Ending>
  let refused: Promise<Ending>
  let misconfigured: Promise<Ending>
  before(async () => {
    silent = createServer(() => {})
    refusedPort = await freePort()
    unanswered = launch({ DATABASE_URL: databaseUrl(await listen(silent)) }).ended
    refused = launch({ DATABASE_URL: databaseUrl(refusedPort) }).ended
    misconfigured = launch({ PORT: 'http', LOG_LEVEL: 'loud', BODY_LIMIT: '0' }).ended
  })
  after(() => silent.close())

  it('lists all faults of the environment in one message', async () => {
    const { code, stderr } = await misconfigured
    expect(stderr.trimEnd().split('\n')).to.deep.equal([
      'The environment is not usable:',
      '- PORT must be a number.',
      '- LOG_LEVEL must be one of [fatal, error, warn, info, debug, trace, silent].',
      '- BODY_LIMIT must be greater than or equal to 1.',
    ])
    expect(code).to.equal(1)
  })

  it('exits with 1 and one sentence when development tokens could be used from other machines', async () => {
    const { code, stderr } = await launch({ HOST: '0.0.0.0' }).ended
    expect(stderr.trimEnd().split('\n')).to.deep.equal([
      'The environment is not usable:',
      '- JWT_JWKS_URL or JWT_SECRET must be set: the development tokens of app/plugins.ts are accepted only if NODE_ENV is development or test, or if NODE_ENV is unset and HOST is a loopback address.',
    ])
    expect(code).to.equal(1)
  })

  it('exits with 1 when the database server refuses the connection', async () => {
    const { code, stderr } = await refused
    expect(stderr).to.equal(
      `PostgreSQL at 127.0.0.1:${refusedPort} (database "music") cannot be used: connect ECONNREFUSED 127.0.0.1:${refusedPort}.\n`,
    )
    expect(code).to.equal(1)
  })

  it('exits with 1 when the database server does not respond', async () => {
    const { code, stderr } = await unanswered
    expect(stderr).to.match(/^PostgreSQL at 127\.0\.0\.1:\d+ \(database "music"\) cannot be used: [^\n]+\.\n$/)
    expect(code).to.equal(1)
  })
})

async function createArtist(client: Client, name: string): Promise<string> {
  const { status, body } = await client.post('/artists', { data: { type: 'artists', attributes: { name } } })
  expect(status).to.equal(201)
  return body.data.id
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

function databaseUrl(port: number): string {
  return `postgres://ada:s3cret@127.0.0.1:${port}/music`
}
