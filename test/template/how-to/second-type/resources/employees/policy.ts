import type { Principal } from '#kernel'
import { Policy } from '#plugins/authorization/index.ts'
import type { Employee } from './entity.ts'

/** Only the human resources department reads and writes employees. */
export class EmployeePolicy extends Policy<Employee> {
  static override readonly needs = { view: [], update: [], delete: [] }

  override viewAny(principal: Principal | null) {
    return isHumanResources(principal)
  }
  override view(principal: Principal | null) {
    return isHumanResources(principal)
  }
  override create(principal: Principal | null) {
    return isHumanResources(principal)
  }
  override update(principal: Principal | null) {
    return isHumanResources(principal)
  }
  override delete(principal: Principal | null) {
    return isHumanResources(principal)
  }
}

function isHumanResources(principal: Principal | null): boolean {
  return principal?.roles.includes('hr') ?? false
}
