import type { Principal } from '#kernel'
import { type Needs, Policy } from '#plugins/authorization/index.ts'
import type { Account } from './entity.ts'

/** A principal sees and changes its own account. Every caller may log in. */
export class AccountPolicy extends Policy<Account> {
  static override readonly needs = { view: [], update: [] } satisfies Needs<Account>

  override scope(principal: Principal | null) {
    return principal ? { email: principal.identifier } : false
  }
  override viewAny(principal: Principal | null) {
    return principal !== null
  }
  override view(principal: Principal | null) {
    return principal !== null
  }
  override update(principal: Principal | null) {
    return principal !== null
  }
  login() {
    return true
  }
  logout() {
    return true
  }
  session(principal: Principal | null) {
    return principal !== null
  }
}
