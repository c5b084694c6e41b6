import { RolePolicy } from '../../app/role-policy.ts'
import type { Report } from './entity.ts'

export class ReportPolicy extends RolePolicy<Report> {
  override readonly abilities = {
    reader: ['viewAny', 'view'],
    editor: ['viewAny', 'view', 'create', 'update'],
    admin: ['viewAny', 'view', 'create', 'update', 'delete'],
  }
}
