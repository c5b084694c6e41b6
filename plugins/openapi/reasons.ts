import { STATUS_CODES } from 'node:http'
import { pascalCase } from './names.ts'

/** 404 → `NotFound`. */
export function reasonOf(status: number): string {
  return pascalCase(STATUS_CODES[status] ?? `Status ${status}`)
}
