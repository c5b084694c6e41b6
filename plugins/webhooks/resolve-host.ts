import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'

/** Returns the addresses of a host. Rejects if it has none, or if no DNS server responds. */
export type ResolveHost = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>

export interface ResolveOptions {
  /** The hosts file. */
  readonly hostsFile?: string
  /** The DNS servers; those of the system by default. */
  readonly servers?: readonly string[]
}

/** Milliseconds for the first attempt of a query. */
const queryTime = 2_000

/**
 * Resolves a host by the hosts file, or else by DNS, without the search domains of the system. `dns.lookup` occupies one of four
 * threads for each host: a few hosts whose DNS server does not respond would stop the requests to all others.
 */
export async function resolveHost(
  hostname: string,
  signal: AbortSignal,
  { hostsFile = '/etc/hosts', servers }: ResolveOptions = {},
): Promise<readonly string[]> {
  const name = hostname.toLowerCase().replace(/\.$/, '')
  const listed = findInHosts(name, await readFile(hostsFile, 'utf8').catch(() => ''))
  if (listed.length > 0) return listed
  return /(?:^|\.)localhost$/.test(name) ? ['127.0.0.1', '::1'] : query(hostname, signal, servers)
}

function findInHosts(name: string, hosts: string): string[] {
  return hosts.split('\n').flatMap((line) => {
    const [address, ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/)
    return address && names.includes(name) ? [address] : []
  })
}

/** The addresses of both families. A family without an answer has none, unless both fail. */
async function query(
  hostname: string,
  signal: AbortSignal,
  servers: readonly string[] | undefined,
): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: queryTime, tries: 2 })
  if (servers) resolver.setServers(servers)
  const cancel = () => resolver.cancel()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    const failed = answers.find((answer) => answer.status === 'rejected')
    if (addresses.length === 0 && failed) throw failed.reason
    return addresses
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}
