#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cut_proxy.py PORT: passes connections on to 127.0.0.1:PORT, and cuts them in the middle of their work: now a request never reaches
the server, now an answer never reaches the client. Prints the port that it listens on. Ends with its standard input."""
import random
import select
import socket
import sys
import threading

SPARED = 30  # pieces of a connection before it can be cut: logging in, preparing
ONE_IN = 25

server_port = int(sys.argv[1])
listener = socket.create_server(("127.0.0.1", 0), backlog=64)
print(listener.getsockname()[1], flush=True)


def serve(client, number):
    dice = random.Random(number)
    server = socket.create_connection(("127.0.0.1", server_port))
    pieces = 0
    for s in (client, server):
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    while True:
        ready, _, _ = select.select([client, server], [], [])
        data = ready[0].recv(65536)
        pieces += 1
        if not data or (pieces > SPARED and dice.randrange(ONE_IN) == 0):
            break
        (server if ready[0] is client else client).sendall(data)
    client.close()
    server.close()


def accept():
    number = 0
    while True:
        client, _ = listener.accept()
        number += 1
        threading.Thread(target=serve, args=(client, number), daemon=True).start()


threading.Thread(target=accept, daemon=True).start()
sys.stdin.read()
