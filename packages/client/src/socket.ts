/**
 * The socket alone, `svc-client/socket`: for pages that read with their own requests and should not carry the module
 * that checks signed answers.
 */
export {
  ApiSocket,
  type ApiSocketOptions,
  type Listener,
  type Topic,
} from './sockets/api-socket.ts';
export { opener, type SocketPorts } from './sockets/reconnect.ts';
