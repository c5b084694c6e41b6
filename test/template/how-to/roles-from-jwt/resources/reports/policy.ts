import { RolePolicy } from '#test/template/how-to/roles-from-jwt/app/role-policy.ts'
import type { Report } from './entity.ts'

export class ReportPolicy extends RolePolicy<Report> {
  override readonly abilities = {
    reader: ['viewAny', 'view'],
    editor: ['viewAny', 'view', 'create', 'update'],
    admin: ['viewAny', 'view', 'create', 'update', 'delete'],
  }
}
