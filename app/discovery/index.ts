export * from './discovery.ts'
export { formerMembers } from './former-members.ts'
export * from './unlisted-plugins.ts'
