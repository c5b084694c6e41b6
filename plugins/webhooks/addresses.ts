import type { LookupAddress } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/** IPv4 addresses that are not those of hosts on the public internet, by RFC 6890 and its successors. */
const specialIPv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32', // the host of a virtual machine in Azure
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

/** The IPv6 addresses of hosts are in this network. Others are local, or contain an IPv4 address: ::ffff:0:0/96, 64:ff9b::/96. */
const globalIPv6 = ['2000::/3']
/** The networks in it that are special: Teredo and other protocols, 6to4, documentation. */
const specialIPv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

/** IPv4 addresses in another form. DNS has them as IPv4 addresses. */
const mappedIPv4 = toBlockList(['::ffff:0:0/96'], 6)

export type IsAllowed = (address: string) => boolean

/** Returns whether webhooks may be sent to an address: public ones, and those in `allowed`, addresses or networks. */
export function createAddressCheck(allowed: readonly string[]): IsAllowed {
  const ipv4 = { allowed: toBlockList(allowed, 4), special: toBlockList(specialIPv4, 4) }
  const ipv6 = { allowed: toBlockList(allowed, 6), special: toBlockList(specialIPv6, 6) }
  const ipv6Hosts = toBlockList(globalIPv6, 6)
  return (address) => {
    const family = isIP(address)
    if (family === 4) return ipv4.allowed.check(address) || !ipv4.special.check(address)
    if (family === 0 || mappedIPv4.check(address, 'ipv6')) return false
    if (ipv6.allowed.check(address, 'ipv6')) return true
    return ipv6Hosts.check(address, 'ipv6') && !ipv6.special.check(address, 'ipv6')
  }
}

/** The networks of one family: a list compares IPv4 addresses with those of ::ffff:0:0/96 in IPv6 networks, such as ::/0. */
function toBlockList(networks: readonly string[], family: 4 | 6): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    if (isIP(address) === family) list.addSubnet(address, Number(prefix ?? (family === 6 ? 128 : 32)), `ipv${family}`)
  }
  return list
}

/** Whether a text is an address or a network such as 10.0.0.0/8. */
export function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/')
  const bits = isIP(address) === 6 ? 128 : 32
  return (
    isIP(address) !== 0 &&
    rest.length === 0 &&
    (prefix === undefined || (/^\d+$/.test(prefix) && Number(prefix) <= bits))
  )
}

export class AddressRefused extends Error {
  constructor(hostname: string) {
    super(`${hostname} has an address that is not allowed; see WEBHOOK_ALLOWED_ADDRESSES.`)
  }
}

/**
 * Resolves a host for a connection. Fails if any of its addresses is not allowed. The connection uses these addresses, so
 * that a later DNS response with another address (DNS rebinding) has no effect.
 */
export function guardedLookup(
  isAllowed: IsAllowed,
  resolve: (hostname: string) => Promise<readonly string[]>,
): LookupFunction {
  return (hostname, options, callback) => {
    const connect = (addresses: readonly string[]) => {
      if (addresses.length === 0 || !addresses.every(isAllowed)) return callback(new AddressRefused(hostname), '')
      if (options.all) return callback(null, addresses.map(withFamily))
      const { address, family } = withFamily(addresses[0] as string)
      callback(null, address, family)
    }
    resolve(hostname).then(connect, (error) => callback(error, ''))
  }
}

function withFamily(address: string): LookupAddress {
  return { address, family: isIP(address) }
}
