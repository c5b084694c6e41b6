import { lookup as resolve } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/** IPv4 addresses that are not those of hosts on the public internet, by RFC 6890 and its successors. */
const specialIPv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
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

export type IsAllowed = (address: string) => boolean

/** Returns whether webhooks may be sent to an address: public ones, and those in `allowed`, addresses or networks. */
export function createAddressCheck(allowed: readonly string[]): IsAllowed {
  const allowedList = toBlockList(allowed)
  const [ipv4, ipv6, ipv6Hosts] = [toBlockList(specialIPv4), toBlockList(specialIPv6), toBlockList(globalIPv6)]
  const isPublic = (address: string) =>
    isIP(address) === 6
      ? ipv6Hosts.check(address, 'ipv6') && !ipv6.check(address, 'ipv6')
      : !ipv4.check(address, 'ipv4')
  return (address) => {
    const family = isIP(address)
    return family !== 0 && (allowedList.check(address, family === 6 ? 'ipv6' : 'ipv4') || isPublic(address))
  }
}

function toBlockList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    list.addSubnet(address, Number(prefix ?? (family === 'ipv6' ? 128 : 32)), family)
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
export function guardedLookup(isAllowed: IsAllowed, lookup: typeof resolve = resolve): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '')
      if (addresses.length === 0 || !addresses.every(({ address }) => isAllowed(address)))
        return callback(new AddressRefused(hostname), '')
      if (options.all) return callback(null, addresses)
      const [{ address, family }] = addresses as [(typeof addresses)[number]]
      callback(null, address, family)
    })
  }
}
