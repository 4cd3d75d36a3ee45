/** How the offers of a group share its requests: by weight alone, or preferring the cheapest or fastest. Values only. */
export const routingStrategies = ['weight', 'price', 'latency', 'throughput'] as const
export type RoutingStrategy = (typeof routingStrategies)[number]
