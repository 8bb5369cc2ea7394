/**
 * Files that run the folders of a network as services: a systemd unit for each machine, and one compose file for
 * containers.
 */

/** The folder is copied to `/var/lib/svc` of its machine; paths in its node.json count from there. */
export function unitFile(folder: string): string {
  return `# ${folder}: copy the folder to /var/lib/svc, owned by the user svc with mode 0700, and this file to
# /etc/systemd/system; then: systemctl enable --now svcd
[Unit]
Description=svc validator (${folder})
Wants=network-online.target
After=network-online.target

[Service]
Type=exec
User=svc
Group=svc
WorkingDirectory=/var/lib/svc
ExecStart=/opt/svc/node_modules/.bin/svcd run --data-dir .
ExecReload=/bin/kill -HUP $MAINPID
Restart=on-failure
RestartSec=5
RestartPreventExitStatus=2 5
TimeoutStopSec=20
KillMode=mixed
UMask=0077
LimitNOFILE=65536
NoNewPrivileges=true
ProtectSystem=strict
ReadWritePaths=/var/lib/svc
ProtectHome=true
PrivateTmp=true

[Install]
WantedBy=multi-user.target
`;
}

/** Containers share the network of the host: the ports in the folders' node.json are those of the host. */
export function composeFile(folders: readonly string[]): string {
  const services = folders.map(
    (folder) => `  ${folder}:
    image: \${SVC_IMAGE:-svc}
    user: "\${SVC_USER:-1000:1000}"
    network_mode: host
    working_dir: /data
    environment: { XDG_CACHE_HOME: /data/.cache }
    command: ["svcd", "run", "--data-dir", "."]
    volumes: ["./${folder}:/data"]
    restart: on-failure
    stop_grace_period: 20s
`,
  );
  return `# SVC_IMAGE names an image with svcd on its path; SVC_USER is the owner of these folders.\nservices:\n${services.join('')}`;
}
