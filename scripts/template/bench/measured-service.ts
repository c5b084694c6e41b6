import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { SignJWT } from 'jose'
import type { ProbeReading, ProbeRequest } from './probe.ts'

/** A service in a child process that loads the probe. */
export interface MeasuredService {
  readonly name: string
  readonly url: string
  /** The request headers of an administrator. */
  readonly headers: Readonly<Record<string, string>>
  read(request?: ProbeRequest): Promise<ProbeReading>
  stop(): Promise<void>
}

const folder = import.meta.dirname

type Variables = Readonly<Record<string, string>>

export const startApplication = (databaseUrl: string, variables: Variables = {}) =>
  startService('ours', resolve(folder, '../../../app/main.ts'), databaseUrl, variables)

/** Starts the application of another checkout, for example of an earlier version. */
export const startBaseline = (databaseUrl: string, checkout: string, variables: Variables = {}) =>
  startService('baseline', resolve(checkout, 'app/main.ts'), databaseUrl, variables)

const secret = randomUUID()

/** The variables that a service in production requires. */
export const productionVariables: Variables = {
  NODE_ENV: 'production',
  JWT_SECRET: secret,
  JWT_ISSUER: 'bench',
  JWT_AUDIENCE: 'bench',
}

/**
 * Starts one process with an application for each list of disabled plugins. Two processes of the same code differ by a
 * tenth or more, by what the runtime has compiled; applications of one process share that.
 */
export function startVariants(
  databaseUrl: string,
  disabled: readonly (readonly string[])[],
  variables: Variables = {},
): Promise<readonly MeasuredService[]> {
  const entry = resolve(folder, 'variants.ts')
  return startServices('variants', entry, databaseUrl, disabled.length, {
    DISABLED_VARIANTS: JSON.stringify(disabled),
    ...variables,
  })
}

export async function startService(
  name: string,
  entry: string,
  databaseUrl: string,
  variables: Variables = {},
): Promise<MeasuredService> {
  const [service] = await startServices(name, entry, databaseUrl, 1, variables)
  return service as MeasuredService
}

/** Starts a process that announces several URLs. */
async function startServices(
  name: string,
  entry: string,
  databaseUrl: string,
  count: number,
  variables: Variables,
): Promise<MeasuredService[]> {
  const child = spawn(process.execPath, ['--expose-gc', '--import', resolve(folder, 'probe.ts'), entry], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: {
      ...process.env,
      ...productionVariables,
      NODE_COMPILE_CACHE: resolve(folder, '../../../.warm/compiled'), // as `npm start` has it
      DATABASE_URL: databaseUrl,
      PORT: '0',
      LOG_LEVEL: 'error',
      ...variables,
    },
  })
  const urls = await announcedUrls(child, name, count)
  const service = {
    name,
    headers: await adminHeaders(),
    async read(request: ProbeRequest = {}) {
      child.send(request)
      const [reading] = (await once(child, 'message')) as [ProbeReading]
      return reading
    },
    async stop() {
      child.kill()
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
  return urls.map((url) => ({ ...service, url }))
}

export function adminHeaders(): Promise<Readonly<Record<string, string>>> {
  return headersOf('admin@example.com', ['admin'])
}

/** The request headers of a principal. */
export async function headersOf(
  subject: string,
  roles: readonly string[] = [],
): Promise<Readonly<Record<string, string>>> {
  const token = await new SignJWT({ roles })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(subject)
    .setIssuer('bench')
    .setAudience('bench')
    .setExpirationTime('1d')
    .sign(new TextEncoder().encode(secret))
  return { authorization: `Bearer ${token}` }
}

async function announcedUrls(child: ChildProcess, name: string, count: number): Promise<string[]> {
  const urls: string[] = []
  child.once('exit', (code) => {
    if (code) console.error(`The service '${name}' exited with code ${code}.`)
  })
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    const url = /Listening on (http:\/\/[\d.:]+\d)/.exec(line)?.[1]
    if (!url || urls.push(url) < count) continue
    child.stdout?.resume() // the log is read, or the service would wait
    return urls
  }
  throw new Error(`The service '${name}' did not start.`)
}
