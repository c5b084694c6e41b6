import { Policy } from '#plugins/authorization/index.ts'
import type { Employee } from '../employees/entity.ts'

/** All requesters see current employees. */
export class ContactPolicy extends Policy<Employee> {
  static override readonly needs = { view: [] }

  override scope() {
    return { leftAt: null }
  }
  override viewAny() {
    return true
  }
  override view() {
    return true
  }
}
