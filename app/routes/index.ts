export { namedRoutes, routeName, routeNameOf } from './route-names.ts'
