export * from './discovery.ts'
export * from './unlisted-plugins.ts'
