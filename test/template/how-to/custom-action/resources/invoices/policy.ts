import type { Principal } from '#kernel'
import { type Needs, Policy } from '#plugins/authorization/index.ts'
import type { Invoice } from './entity.ts'

/** All callers may read invoices; accountants may write and send them. */
export class InvoicePolicy extends Policy<Invoice> {
  static override readonly needs = { view: [], update: [], delete: [], send: [] } satisfies Needs<Invoice>

  override viewAny() {
    return true
  }
  override view() {
    return true
  }
  override create(principal: Principal | null) {
    return isAccountant(principal)
  }
  override update(principal: Principal | null) {
    return isAccountant(principal)
  }
  override delete(principal: Principal | null) {
    return isAccountant(principal)
  }
  send(principal: Principal | null) {
    return isAccountant(principal)
  }
}

function isAccountant(principal: Principal | null): boolean {
  return principal?.roles.includes('accountant') ?? false
}
