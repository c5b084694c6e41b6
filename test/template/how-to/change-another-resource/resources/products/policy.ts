import type { Principal } from '#kernel'
import { Policy } from '#plugins/authorization/index.ts'
import type { Product } from './entity.ts'

const isAdmin = (principal: Principal | null) => principal?.roles.includes('admin') ?? false

/** Every requester may read products; administrators may write them. */
export class ProductPolicy extends Policy<Product> {
  static override readonly needs = { view: [], update: [], delete: [] }

  override viewAny() {
    return true
  }
  override view() {
    return true
  }
  override create(principal: Principal | null) {
    return isAdmin(principal)
  }
  override update(principal: Principal | null) {
    return isAdmin(principal)
  }
  override delete(principal: Principal | null) {
    return isAdmin(principal)
  }
}
