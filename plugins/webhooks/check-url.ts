import { isIP } from 'node:net'
import { phrase, validationFailed } from '#kernel/errors'
import type { App, Validation } from '#kernel/plugin'
import { createAddressCheck } from './addresses.ts'

/** Refuses the URL of a subscription with an address to which nothing is sent. Addresses of names are checked by each delivery. */
export function allowedAddressOnly({ config: { variables } }: App): Validation {
  const isAllowed = createAddressCheck(variables.WEBHOOK_ALLOWED_ADDRESSES as readonly string[])
  return {
    of: 'input',
    check(_operation, { attributes }, _subject, faults) {
      const host = typeof attributes?.url === 'string' ? URL.parse(attributes.url)?.hostname : undefined
      const address = host?.replace(/^\[(.*)\]$/, '$1') ?? ''
      if (isIP(address) === 0 || isAllowed(address)) return
      const message = phrase('No events are sent to the address {address}. Accepted: the URL of a public host.', {
        address,
      })
      faults.push(validationFailed({ message }, { source: { pointer: '/data/attributes/url' } }))
    },
  }
}
