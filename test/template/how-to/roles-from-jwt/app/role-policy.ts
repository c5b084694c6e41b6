import type { Principal } from '#kernel'
import { Policy } from '#plugins/authorization/index.ts'

/** Allows each role a list of abilities. A principal has the abilities of all of its roles. */
export abstract class RolePolicy<Entity extends object> extends Policy<Entity> {
  static override readonly needs = { view: [], update: [], delete: [] }

  abstract readonly abilities: Readonly<Record<string, readonly string[]>>

  override viewAny(principal: Principal | null) {
    return this.allows(principal, 'viewAny')
  }
  override view(principal: Principal | null) {
    return this.allows(principal, 'view')
  }
  override create(principal: Principal | null) {
    return this.allows(principal, 'create')
  }
  override update(principal: Principal | null) {
    return this.allows(principal, 'update')
  }
  override delete(principal: Principal | null) {
    return this.allows(principal, 'delete')
  }

  protected allows(principal: Principal | null, ability: string): boolean {
    const granting = Object.entries(this.abilities).filter(([, abilities]) => abilities.includes(ability))
    return granting.some(([role]) => principal?.roles.includes(role))
  }
}
